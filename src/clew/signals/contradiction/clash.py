"""Contradictions: how surely a later statement denies an earlier one of the same speaker, and about what.

A change that is told as one ("we moved to", "no longer", "actually") is an update: it supersedes and is no alarm. Nor
is a state that has passed, or what was never done before and is done now. By wording alone, without a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from clew.signals.contradiction.asides import without_asides
from clew.signals.contradiction.features import Bout, bouts
from clew.signals.contradiction.model import sureness
from clew.signals.facts.clauses import Clause
from clew.text.trim import one_line

#: From this score on a clash is worth telling: on real work next to none of them is wrong.
THRESHOLD = 0.6
#: What remains of the score of a change: told as one, or by having begun what was never done.
_CHANGED_SHARE, _BEGUN_SHARE = 0.4, 0.75
#: What remains of the sureness where a deed is not told, only spoken about.
_DOUBT_SHARE = 0.7
#: Values and denials less sure than this count for less still: long messages share words by chance.
_UNLIKELY = 0.5

_LONG_AGO = re.compile(
    r"\bsince\b|\bfor (?:\w+ ){1,2}(?:years?|months?|weeks?)\b|\b(?:years?|months?) ago\b|\balways\b"
    r"|\blast (?:year|month|spring|summer|autumn|winter)\b|\bin (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:we|i|you|they|it)(?: (?:have|has|got|see|shows?|found)|['’]ve got) (?:only )?\d", re.IGNORECASE
)
#: The one in hand, which is another one later.
_THIS_ONE = re.compile(
    r"\W*this (?!project|repo|app|service|package|module|team|api|library|product|system|company|code)", re.IGNORECASE
)
_FOR_NOW = re.compile(r"\b(?:for now|temporar\w+|initially|at first|for the moment|until|planned)\b", re.IGNORECASE)


class ClashKind(StrEnum):
    """Whether one statement denies another, or takes its place."""

    CONTRADICTION = "contradiction"
    UPDATE = "update"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Words of one speaker, and the id of the message they stand in."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A later statement against an earlier one, by id: ``score`` 0 to 1 how surely it contradicts, ``about`` what they
    differ in, and the words of either side that do. ``sureness``, by which it is told or not, is that they differ at
    all: high for a plain update, lower for a clash that is only hinted at."""

    earlier: str
    later: str
    score: float
    sureness: float
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
    """The clashes of a new statement with earlier ones that are sure enough, the surest first; updates among them."""
    seeming = (old for old in candidates if old.id != new.id and _is_sure(_clash(old, new), threshold))
    found = (_clash(_meant(old), _meant(new)) for old in seeming)  # few are left to look at more closely
    sure = [clash for clash in found if clash and _is_sure(clash, threshold)]
    return tuple(sorted(sure, key=lambda clash: -clash.score))


def _is_sure(clash: Clash | None, threshold: float) -> bool:
    return clash is not None and clash.sureness >= threshold


def _meant(statement: Statement) -> Statement:
    return replace(statement, text=without_asides(statement.text))


def _clash(old: Statement, new: Statement) -> Clash | None:
    rated = [(*_rated(bout), bout) for bout in bouts(old.text, new.text)]
    if not rated:
        return None
    sure, share, bout = max(rated, key=lambda one: one[0] * one[1])
    return Clash(
        earlier=old.id,
        later=new.id,
        score=round(sure * share, 4),
        sureness=round(sure * _DOUBT_SHARE ** _is_doubtful(bout), 4),
        kind=ClashKind.CONTRADICTION if share == 1.0 else ClashKind.UPDATE,
        about=bout.about,
        earlier_text=_one_line(bout.earlier.text),
        later_text=_one_line(bout.later.text),
    )


def _rated(bout: Bout) -> tuple[float, float]:
    """How sure a bout is, and what share of that is contradiction."""
    sure = sureness(bout.way, bout.features)
    if bout.way == "experience":
        return sure, _BEGUN_SHARE if _has_begun(bout) else 1.0
    if sure < _UNLIKELY:
        sure = sure**3 / _UNLIKELY**2
    return sure, _CHANGED_SHARE if _has_changed(bout) else 1.0


def _is_doubtful(bout: Bout) -> bool:
    """That somebody has done it is not told: only asked about, planned or ordered, or another deed is."""
    features = bout.features
    if bout.way != "experience" or features["telling deed missing"]:
        return bout.way == "experience"
    return not features["done"] and any(features[name] for name in ("asked", "planned", "tried", "told to do"))


def _has_begun(bout: Bout) -> bool:
    """Never done when first spoken of, and done since."""
    return bool(bout.features["earlier"]) and not _LONG_AGO.search(bout.later.text)


def _has_changed(bout: Bout) -> bool:
    """Told as a change, or of what changes by itself: states, measures, what was meant for a while."""
    passes = bout.features["passing"] or (bout.features.get("measure") and not bout.features["norm"])
    is_new = "new" in bout.later.stems - bout.earlier.stems
    is_told = bout.later.mood.turns or (bout.way == "value" and bout.later.mood.orders) or _tells_a_deed(bout.later)
    return bool(passes or is_new or is_told or _is_count(bout) or _FOR_NOW.search(bout.earlier.text))


def _tells_a_deed(clause: Clause) -> bool:
    """ "Added a limit of 5": what was done since."""
    return bool(clause.words) and clause.words[0].raw.endswith("ed")


def _is_count(bout: Bout) -> bool:
    """How many there happen to be."""
    if not bout.features.get("quantity") or bout.features["norm"]:
        return False
    return bool(_COUNTED.search(bout.later.text) or _THIS_ONE.match(bout.later.text))


def _one_line(text: str) -> str:
    return one_line(text).strip(" ,;:")
