"""How well scores tell the wanted from the others."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


def auc(scores: Sequence[float], wanted: Sequence[bool]) -> float:
    """How often a wanted one scores above another; a tie counts half."""
    good = [score for score, is_wanted in zip(scores, wanted, strict=True) if is_wanted]
    bad = sorted(score for score, is_wanted in zip(scores, wanted, strict=True) if not is_wanted)
    if not good or not bad:
        return float("nan")
    return sum(bisect_left(bad, one) + bisect_right(bad, one) for one in good) / 2 / len(good) / len(bad)


def recall_at(scores: Sequence[float], wanted: Sequence[bool], precision: float) -> float:
    """The largest share of the wanted that some threshold finds with at least this precision."""
    best, found = 0, 0
    ranked = sorted(zip(scores, wanted, strict=True), key=lambda one: -one[0])
    for place, (_, is_wanted) in enumerate(ranked, 1):
        found += is_wanted
        if found >= precision * place:
            best = found
    return best / max(sum(wanted), 1)
