"""Scores that fade: what a file or a name is worth falls with every message that does not touch it."""

from __future__ import annotations

from math import log2
from typing import Any

#: Half-life of scores in messages: a few tasks of an agent, not its last step.
HALF_LIFE = 120


def decayed_score(score: list[Any] | None, now: int) -> float:
    """Returns what is left of an earlier score now."""
    return float(score[0]) * 0.5 ** ((now - score[1]) / HALF_LIFE) if score else 0.0


def raise_score(score: list[Any] | None, by: float, now: int) -> list[Any]:
    """Returns the score as of now, with an amount added."""
    return [round(decayed_score(score, now) + by, 3), now]


def file_score(row: dict[str, Any], now: int) -> float:
    """Returns how useful a file is now:
    the decayed worth of what was done with it, and a little if it was ever changed.
    """
    return decayed_score(row["score"], now) + 0.5 * log2(1 + row.get("edits", 0)) + 0.1 * log2(1 + row.get("read", 0))
