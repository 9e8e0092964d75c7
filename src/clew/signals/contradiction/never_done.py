"""What somebody says they have never done, against a statement that tells of it.

Only what is said of all time counts ("never", "no experience", "haven't … before"): "I haven't checked" is said of
today, and "we never deploy on Fridays" is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum

from clew.signals.contradiction.clauses import Clause, clauses_of, is_past
from clew.signals.contradiction.words import PLAIN
from clew.text.memo import remember

_NEVER = re.compile(
    r"\b(?:(?:i|we|team|nobody|\w+['’]ve|have|has|had)\s(?:\w+\s){0,2}?never"
    r"|never (?:actually |really |even )?(?:been\b|\w+(?:ed|en)\b)|(?:have|has|had)(?:n['’]t| not| yet to)"
    r"|did(?:n['’]t| not)|(?:no|any|zero|little) (?:prior |previous |real )?experience"
    r"|(?:am|['’]m|completely|totally|brand|kinda|quite|still) new to|my first time|first time (?:i|we)|not once)\b",
    re.IGNORECASE,
)
_OF_ALL_TIME = re.compile(
    r"\b(?:never|ever|experience|before|at all|first time|new to|any(?:one|thing|body|where)?|once|yet to)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|we|my|our|i['’]\w+|we['’]\w+|team)\b", re.IGNORECASE)
#: What somebody has or uses shows what was done with it.
_HAS = re.compile(r"\b(?:i've|we've|(?:i|we) (?:had|use|run|have|keep|host))\b")
_LONG_AGO = re.compile(
    r"\bsince\b|\bfor (?:\w+ ){1,2}(?:years?|months?|weeks?)\b|\b(?:years?|months?) ago\b|\balways\b"
    r"|\blast (?:year|month|spring|summer|autumn|winter)\b|\bin (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_SHOWN = 6
#: What speaks for a contradiction, each by what it adds to the sum:
_BESIDE = 1.8  # the share of what was never done that stands in the sentence which tells most of it
_ANYWHERE = 1.0  # the share of it that stands anywhere in the statement
_DONE = 0.9  # that a deed is told beside it
_SAME_DEED, _OTHER_DEED = 1.0, -0.7  # that it is the very deed, or another one
_UNCLAIMED = -1.0  # that nothing is claimed there
_BIAS = -2.7  # where the sum begins: even odds are reached at as much above it


@dataclass(frozen=True, slots=True)
class Undone:
    """A deed that was never done, what with (the stems by their weight), and both as written."""

    clause: Clause
    deed: str
    things: Mapping[str, float]
    written: str


@dataclass(frozen=True, slots=True)
class Witness:
    """A claim of never having done something, and the clause that tells most of it."""

    undone: Undone
    clause: Clause
    sureness: float

    @property
    def is_of_long_ago(self) -> bool:
        """False where it may have been done since somebody said that it never was."""
        return _LONG_AGO.search(self.clause.text) is not None


def witnesses(claiming: str, telling: str) -> Iterator[Witness]:
    """What one statement says was never done, with what the other tells of it."""
    claims = _all_undone(claiming)
    others = [clause for clause in clauses_of(telling) if clause.core] if claims else []
    for undone in claims if others else ():
        best = max(others, key=lambda other: (_weight(undone.things, other.stems), other.tells_deed, not other.asks))
        yield Witness(undone, best, _sureness(undone, best, others))


def _sureness(undone: Undone, best: Clause, others: Sequence[Clause]) -> float:
    near = [other for other in others if other.sentence == best.sentence]
    beside = frozenset().union(*(clause.stems for clause in near))
    anywhere = frozenset().union(*(clause.stems for clause in others))
    whole = fsum(undone.things.values())
    covered = _weight(undone.things, beside) / whole
    is_done = any((clause.tells_deed or _HAS.search(clause.plain)) and clause.claims for clause in near)
    total = (
        _BESIDE * covered
        + _ANYWHERE * _weight(undone.things, anywhere) / whole
        + _DONE * covered * is_done
        + (_SAME_DEED if undone.deed in beside else _OTHER_DEED) * bool(undone.deed)
        + _UNCLAIMED * (not best.claims and not is_done)
    )
    return 1.0 / (1.0 + exp(-_BIAS - total))


def _weight(things: Mapping[str, float], stems: Collection[str]) -> float:
    return fsum(weight for stem, weight in things.items() if stem in stems)


@remember(2_048)
def _all_undone(text: str) -> tuple[Undone, ...]:
    return tuple(undone for clause in clauses_of(text) if (undone := _undone(clause)))


def _undone(clause: Clause) -> Undone | None:
    """What the clause says was never done."""
    never = _NEVER.search(clause.text)
    if never is None or not _OWN.search(clause.text) or not _OF_ALL_TIME.search(clause.text, never.start()):
        return None
    after = [word for word in clause.words if word.start >= never.end()]
    deed = next((word.stem for word in after[:3] if is_past(word.raw.lower())), "")
    things = {word.stem: clause.core[word.stem] for word in after if word.weight and word.stem != deed}
    is_habit = never[0].lower().endswith("never") and not deed  # "we never deploy on Fridays" is a rule
    if is_habit or fsum(things.values()) < PLAIN:
        return None
    written = {word.stem: word.raw for word in after if word.stem in things or word.stem == deed}
    return Undone(clause, deed, things, " ".join(list(written.values())[:_SHOWN]))
