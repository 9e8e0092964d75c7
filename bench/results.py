"""What a benchmark reports: figures with a unit and a goal, and how fast the machine was meanwhile."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from bench.reference import Reference

_COMPARE = {"<": operator.lt, ">": operator.gt, "=": operator.eq, "<=": operator.le, ">=": operator.ge}


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured value; ``goal`` is such as "< 150" in the same unit, or empty.

    The unit says whether it is a speed: a time ("ms", "s") or a rate ("MB/s"), up to a semicolon.
    """

    group: str
    name: str
    value: float
    unit: str = ""
    goal: str = ""

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal."""
        if not self.goal:
            return None
        sign, _, limit = self.goal.partition(" ")
        return bool(_COMPARE[sign](self.value, float(limit)))

    @property
    def is_time(self) -> bool:
        return self._measure in {"ms", "s"}

    @property
    def is_rate(self) -> bool:
        return self._measure.endswith("/s")

    @property
    def is_speed(self) -> bool:
        return self.is_time or self.is_rate

    @property
    def _measure(self) -> str:
        return self.unit.partition(";")[0]

    def at_factor_1(self, factor: float) -> float | None:
        """The value that a machine at full speed would have given, where it had this speed factor; None for others."""
        if self.is_rate:
            return self.value / factor
        return self.value * factor if self.is_time else None


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of one benchmark, and the reference loop as it ran before and after it, where any is a speed."""

    bench: str
    figures: tuple[Figure, ...]
    reference: Reference | None = None

    def at_factor_1(self, figure: Figure) -> float | None:
        return figure.at_factor_1(self.reference.factor) if self.reference else None

    def rows(self) -> list[dict[str, Any]]:
        """The figures as JSON."""
        return [self._row(figure) for figure in self.figures]

    def _row(self, figure: Figure) -> dict[str, Any]:
        row = asdict(figure) | {"met": figure.met}
        value = self.at_factor_1(figure)
        return row if value is None else row | {"at_factor_1": value}


Bench = Callable[[], list[Figure]]
