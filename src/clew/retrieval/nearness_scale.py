"""What nearness means to an embedder: texts of which none has to do with another are at .05 to one, at .7 to another.

It is measured with sentences of which each is about something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from clew.ports import Embedder

_SENTENCES = (
    "The harbour falls dry at low tide.",
    "She bought a violin from her uncle.",
    "The compiler reports an unused variable.",
    "Bread dough needs two hours to rise.",
    "The committee postponed its vote until March.",
    "A new vaccine was tested on volunteers.",
    "His train to Vienna was late again.",
    "Interest rates rose by half a percent.",
    "The goalkeeper saved a penalty.",
    "Volcanic ash covered the village.",
    "How do I reset my password?",
    "The contract ends with the month.",
)
#: How far chance reaches, and where what is surely none begins: standard deviations above the mean of such sentences.
_CHANCE, _SURE = 2.0, 4.5


@dataclass(frozen=True, slots=True)
class NearnessScale:
    """Texts below ``unrelated`` have nothing to do with each other; those from ``related`` on are about the same."""

    unrelated: float
    related: float

    def rescale(self, nearness: float) -> float:
        """Returns a nearness on this scale: up to 0 for what is unrelated, from 1 on for what is about the same."""
        return (nearness - self.unrelated) / max(self.related - self.unrelated, 1e-6)


def measure_scale(embedder: Embedder) -> NearnessScale:
    """Returns the scale of an embedder. Raises a ModelError if it fails."""
    from statistics import mean, pstdev

    vectors = embedder.embed(_SENTENCES)
    found = [_product(one, other) for one, other in combinations(vectors, 2)]
    middle, spread = mean(found), pstdev(found)
    return NearnessScale(round(middle + _CHANCE * spread, 4), round(middle + _SURE * spread, 4))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
