"""What a benchmark says: a figure, its unit and the goal, if there is one."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass

_COMPARE = {"<": operator.lt, ">": operator.gt, "=": operator.eq, "<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; ``goal`` is such as "< 150" in the same unit, or empty."""

    group: str
    name: str
    value: float
    unit: str = ""
    goal: str = ""

    @property
    def met(self) -> bool | None:
        if not self.goal:
            return None
        sign, _, limit = self.goal.partition(" ")
        return bool(_COMPARE[sign](self.value, float(limit)))


Bench = Callable[[], list[Figure]]
