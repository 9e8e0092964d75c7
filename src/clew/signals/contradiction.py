"""Contradictions: how surely a later statement denies an earlier one of the same speaker, and about what.

A change that is told as one ("we moved to", "no longer", "actually") is an update: it supersedes and is no alarm; nor is
what was never done before and is done now. All by wording, in a millisecond or so, without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from clew.signals.contradiction_features import Bout, bouts
from clew.signals.contradiction_model import sureness

#: From this score on a clash is worth telling; chosen so that real work gives next to no false alarm.
THRESHOLD = 0.6
#: What remains of the score of a change that is told as one.
_UPDATE_SHARE = 0.4

_LONG_AGO = re.compile(
    r"\bsince\b|\bfor (?:\w+ ){1,2}(?:years?|months?|weeks?)\b|\b(?:years?|months?) ago\b|\blast (?:year|month|spring|summer"
    r"|autumn|winter)\b|\bin (?:19|20)\d\d\b|\balways\b",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(r"\b(?:for now|temporar\w+|initially|at first|for the moment|until|planned)\b", re.IGNORECASE)


class ClashKind(StrEnum):
    """Whether one statement denies another, or takes its place."""

    CONTRADICTION = "contradiction"
    UPDATE = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Words of one speaker, and the message they stand in."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A later statement against an earlier one: ``score`` 0 to 1, ``about`` what they differ in, and the words of both
    sides that do."""

    earlier: str
    later: str
    score: float
    kind: ClashKind
    about: str
    earlier_text: str
    later_text: str


def score(earlier: str, later: str) -> float:
    """0 to 1: how surely the later statement contradicts the earlier one. Updates score low, and order counts."""
    found = explain(earlier, later)
    return found.score if found else 0.0


def explain(earlier: str, later: str) -> Clash | None:
    """The surest way in which the two clash; None where nothing can be compared."""
    return _clash(Statement(id="", text=earlier), Statement(id="", text=later))


def contradictions(
    new: Statement, candidates: Iterable[Statement], *, threshold: float = THRESHOLD
) -> tuple[Clash, ...]:
    """The clashes of a new statement with earlier ones at or above the threshold, the surest first; updates too."""
    found = (_clash(old, new) for old in candidates if old.id != new.id)
    sure = [clash for clash in found if clash and _full_score(clash) >= threshold]
    return tuple(sorted(sure, key=lambda clash: -clash.score))


def _full_score(clash: Clash) -> float:
    """An update is judged by how surely it changes something."""
    return clash.score / _UPDATE_SHARE if clash.kind is ClashKind.UPDATE else clash.score


def _clash(old: Statement, new: Statement) -> Clash | None:
    rated = [(_rated(bout), bout) for bout in bouts(old.text, new.text)]
    if not rated:
        return None
    (sure, kind), bout = max(rated, key=lambda one: one[0][0])
    return Clash(
        earlier=old.id,
        later=new.id,
        score=round(sure, 4),
        kind=kind,
        about=bout.about,
        earlier_text=_one_line(bout.earlier.text),
        later_text=_one_line(bout.later.text),
    )


def _rated(bout: Bout) -> tuple[float, ClashKind]:
    sure = sureness(bout.way, bout.features)
    if bout.way != "experience" and sure < 0.5:
        # Long messages share words by chance: what is not likely on these grounds is less than it seems.
        sure = 4 * sure**3
    if _is_update(bout):
        return sure * (0.75 if bout.way == "experience" else _UPDATE_SHARE), ClashKind.UPDATE
    return sure, ClashKind.CONTRADICTION


def _is_update(bout: Bout) -> bool:
    if bout.way == "experience":
        return bool(bout.features["earlier"]) and not _LONG_AGO.search(bout.later.text)
    is_changed = bout.later.mood.turns or bout.features.get("measure") or bout.features["passing"]
    return bool(is_changed or _FOR_NOW.search(bout.earlier.text))


def _one_line(text: str) -> str:
    return " ".join(text.split()).strip(" ,;:")
