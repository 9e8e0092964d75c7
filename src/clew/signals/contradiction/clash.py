"""Contradictions: how surely a later statement denies an earlier one of the same speaker, and about what.

Three forms, each plain enough to be told without a model: the same said with another value, the same said and denied,
and a deed that was never done. A change that is told as one ("we moved to", "no longer", "actually") is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clew.signals.contradiction.never_done import witnesses
from clew.signals.contradiction.same_words import differences
from clew.text.trim import one_line

#: From this score on a clash is worth telling: on real work next to none of them is wrong.
THRESHOLD = 0.6
#: How sure it is where the same is said otherwise.
_SAID_OTHERWISE = 0.9
#: What remains of the score where what was never done may have been done since.
_BEGUN_SHARE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Words of one speaker, and the id of the message they stand in."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """A later statement against an earlier one, by id: ``score`` 0 to 1 how surely it contradicts, ``about`` what they
    differ in, and the words of either side that do."""

    earlier: str
    later: str
    score: float
    about: str
    earlier_text: str
    later_text: str


def score(earlier: str, later: str) -> float:
    """0 to 1: how surely the later statement contradicts the earlier one. Order counts."""
    clash = explain(Statement(id="", text=earlier), Statement(id="", text=later))
    return clash.score if clash else 0.0


def contradictions(
    new: Statement, candidates: Iterable[Statement], *, threshold: float = THRESHOLD
) -> tuple[Clash, ...]:
    """The clashes of a new statement with earlier ones that are sure enough, the surest first."""
    clashes = (explain(old, new) for old in candidates if old.id != new.id)
    sure = [clash for clash in clashes if clash and clash.score >= threshold]
    return tuple(sorted(sure, key=lambda clash: -clash.score))


def explain(old: Statement, new: Statement) -> Clash | None:
    """The surest way in which the two clash; None where nothing can be compared."""
    best = max(_ways(old.text, new.text), key=lambda way: way[0], default=None)
    if best is None:
        return None
    sure, earlier, later, about = best
    earlier_text, later_text = (one_line(text).strip(" ,;:") for text in (earlier, later))
    return Clash(
        earlier=old.id,
        later=new.id,
        score=round(sure, 4),
        about=about,
        earlier_text=earlier_text,
        later_text=later_text,
    )


def _ways(earlier: str, later: str) -> Iterator[tuple[float, str, str, str]]:
    """How sure, by which words of either side, and about what."""
    for difference in differences(earlier, later):
        yield _SAID_OTHERWISE, difference.earlier.text, difference.later.text, difference.about
    for witness in witnesses(later, earlier):
        yield witness.sureness, witness.clause.text, witness.undone.clause.text, f"never {witness.undone.written}"
    for witness in witnesses(earlier, later):
        share = 1.0 if witness.is_of_long_ago else _BEGUN_SHARE
        yield (
            share * witness.sureness,
            witness.undone.clause.text,
            witness.clause.text,
            f"never {witness.undone.written}",
        )
