"""What somebody says they have never done, against a statement that tells of it.

Only what is said of all time counts ("never", "no experience", "haven't … before"): "I haven't checked" is said of
today, and "we never deploy on Fridays" is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum

from clew.signals.contradiction.clauses import Clause, clauses_of
from clew.signals.contradiction.words import NAME, PLAIN, Word, is_past, weight_of
from clew.text.memo import remember
from clew.text.vocabulary import words

_NEVER = re.compile(
    r"\b(?:(?:i|we|team|nobody|\w+['’]ve|have|has|had)\s(?:\w+\s){0,2}?never"
    r"|never (?:actually |really |even )?(?:been\b|\w+(?:ed|en)\b)|(?:have|has|had)(?:n['’]t| not| yet to)"
    r"|did(?:n['’]t| not)|(?:no|any|zero|little) (?:prior |previous |real )?experience"
    r"|(?:am|['’]m|completely|totally|brand|kinda|quite|still) new to|my first time|first time (?:i|we)|not once)\b",
    re.IGNORECASE,
)
_OF_ALL_TIME = re.compile(
    r"\b(?:never|ever|experience|before|at all|first time|new to|any|anyone|anything|anybody|anywhere|once|yet to)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|we|my|our|i['’]\w+|we['’]\w+|team)\b", re.IGNORECASE)
_CHECKS = re.compile(r"\b(?:make|making|be) sure\b|\bensur|\bverify|\bcheck (?:if|that|whether)", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:have|has|had|\w+['’](?:ve|s|d))\b", re.IGNORECASE)
#: What somebody has or uses shows what was done with it.
_HAS = re.compile(r"\b(?:i've|we've|(?:i|we) (?:had|use|run|have|keep|host))\b")
_LONG_AGO = re.compile(
    r"\bsince\b|\bfor (?:\w+ ){1,2}(?:years?|months?|weeks?)\b|\b(?:years?|months?) ago\b|\balways\b"
    r"|\blast (?:year|month|spring|summer|autumn|winter)\b|\bin (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_BESIDE = words("or and nor like")
#: What speaks for it, from 0 to 1 each, in the order of ``_signs``; and where doubt ends.
_SHOWN = 6
_WEIGHTS, _BIAS = (1.2, 1.0, 0.9, 1.0, 0.6, -0.6, -1.0, -0.7), -2.6


@dataclass(frozen=True, slots=True)
class Undone:
    """A deed that was never done, what with (the stems by their weight), and both as written."""

    clause: Clause
    deed: str
    things: Mapping[str, float]
    said: str


@dataclass(frozen=True, slots=True)
class Told:
    """A claim of never having done something, and the clause that tells most of it."""

    undone: Undone
    witness: Clause
    sureness: float


def told_of_undone(claiming: str, telling: str) -> Iterator[Told]:
    """What one statement says was never done, with what the other tells of it."""
    claims = _all_undone(claiming)
    others = [one for one in clauses_of(telling) if one.core] if claims else []
    for one in claims if others else ():
        best = max(others, key=lambda other: (_covered_weight(one.things, other.stems), other.does, not other.asks))
        near = [other for other in others if other.sentence == best.sentence]
        yield Told(one, best, _sureness(one, best, near, others))


def has_begun(told: Told) -> bool:
    """Whether what was never done may have been done since it was said."""
    return not _LONG_AGO.search(told.witness.text)


def _sureness(undone: Undone, best: Clause, near: Sequence[Clause], others: Sequence[Clause]) -> float:
    total = sum(weight * sign for weight, sign in zip(_WEIGHTS, _signs(undone, best, near, others), strict=True))
    return 1.0 / (1.0 + exp(-_BIAS - total))


def _signs(undone: Undone, best: Clause, near: Sequence[Clause], others: Sequence[Clause]) -> tuple[float, ...]:
    beside = frozenset().union(*(one.stems for one in near))
    everywhere = frozenset().union(*(one.stems for one in others))
    whole = fsum(undone.things.values())
    covered = _covered_weight(undone.things, beside) / whole
    is_done = any((one.does or _HAS.search(one.plain)) and one.claims for one in near)
    names = [stem for stem, weight in undone.things.items() if weight >= NAME]
    return (
        covered,
        _covered_weight(undone.things, everywhere) / whole,
        covered * is_done,
        float(undone.deed in beside),
        float(covered > 0.99),
        float(bool(names) and everywhere.isdisjoint(names)),
        float(not best.claims and not is_done),
        float(bool(undone.deed) and undone.deed not in beside and weight_of(undone.deed) >= PLAIN),
    )


def _covered_weight(things: Mapping[str, float], found: Collection[str]) -> float:
    return fsum(weight for one, weight in things.items() if one in found)


@remember(2_048)
def _all_undone(text: str) -> tuple[Undone, ...]:
    return tuple(one for clause in clauses_of(text) for one in _undone(clause))


def _undone(clause: Clause) -> Iterator[Undone]:
    """What the clause says was never done: all of it, and each part that stands beside an "or"."""
    never = _NEVER.search(clause.text)
    if never is None or not _is_own(clause, never) or _is_habit(clause, never):
        return
    told = [word for word in clause.words if word.start >= never.end()]
    deed = next((word.stem for word in told[:3] if is_past(word.raw.lower())), "")
    parts = list(_parts(told))
    for part in [told, *parts] if len(parts) > 1 else [told]:
        things = {word.stem: clause.core[word.stem] for word in part if word.weight and word.stem != deed}
        if fsum(things.values()) >= PLAIN:
            said = {word.stem: word.raw for word in told if word.stem in things or word.stem == deed}
            yield Undone(clause, deed, things, " ".join(list(said.values())[:_SHOWN]))


def _is_own(clause: Clause, never: re.Match[str]) -> bool:
    """Somebody tells of themselves, and of all time."""
    told = _OWN.search(clause.text) or (never.start() < 3 and is_past(never[0].rsplit(" ", 1)[-1].lower()))
    return bool(told and not _CHECKS.search(clause.text) and _OF_ALL_TIME.search(clause.text, never.start()))


def _is_habit(clause: Clause, never: re.Match[str]) -> bool:
    """ "We never deploy on Fridays" is a rule."""
    if not never[0].lower().endswith("never") or _PERFECT.search(never[0]):
        return False
    after = (word.raw.lower() for word in clause.words if word.start >= never.end())
    return not is_past(next((word for word in after if not word.endswith("ly")), ""))


def _parts(told: Sequence[Word]) -> Iterator[list[Word]]:
    part: list[Word] = []
    for word in told:
        if word.stem in _BESIDE:
            yield part
            part = []
        else:
            part.append(word)
    yield part
