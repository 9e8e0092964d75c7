"""What somebody says they have never done: the deed and what it was not done with.

Only what is said of all time counts ("never", "no experience", "haven't … before"): "I haven't checked" is said of
today, and "we never deploy on Fridays" is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import fsum
from typing import NamedTuple

from clew.signals.facts import lexicon
from clew.signals.facts.clauses import Clause
from clew.signals.facts.words import PLAIN, Word, is_past
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
_OWNED = re.compile(r"\b(?:i|we|my|our|i['’]\w+|we['’]\w+|team)\b", re.IGNORECASE)
_CHECKS = re.compile(r"\b(?:make|making|be) sure\b|\bensur|\bverify|\bcheck (?:if|that|whether)", re.IGNORECASE)
_PERFECT = re.compile(r"\b(?:have|has|had|\w+['’](?:ve|s|d))\b", re.IGNORECASE)
_ADVERBS = words("actually really even ever once personally")
_BESIDE = words("or and nor like")
#: What it was not done with is said elsewhere.
_PRONOUNS = words("it them that this")


class Undone(NamedTuple):
    """A deed that was never done, what with, and the heads of that: the parents in "Laura's parents"."""

    deed: str
    things: frozenset[str]
    heads: frozenset[str]


def undone(clause: Clause) -> tuple[Undone, ...]:
    """What the clause says was never done: all of it, and each part that stands beside an "or"."""
    never = _NEVER.search(clause.text)
    if never is None or not _is_own(clause, never) or _is_habit(clause, never):
        return ()
    told = [word for word in clause.words if word.start >= clause.span[0] + never.end()]
    deed = next((word.stem for word in told[:3] if is_past(word.raw) or word.stem in lexicon.DEEDS), "")
    deed = "go" if deed == "be" else deed
    return tuple(Undone(deed, things, _heads(told, things)) for things in _parts(clause, told, deed))


def _is_own(clause: Clause, never: re.Match[str]) -> bool:
    """Somebody tells of themselves, and of all time."""
    told = _OWNED.search(clause.text) or (never.start() < 3 and is_past(never[0].rsplit(" ", 1)[-1]))
    return bool(told and not _CHECKS.search(clause.text) and _OF_ALL_TIME.search(clause.text, never.start()))


def _is_habit(clause: Clause, never: re.Match[str]) -> bool:
    if not never[0].lower().endswith("never") or _PERFECT.search(never[0]):
        return False
    start = clause.span[0] + never.end()
    verb = next((word.raw for word in clause.words if word.start >= start and word.raw.lower() not in _ADVERBS), "")
    return not is_past(verb)


def _parts(clause: Clause, told: Sequence[Word], deed: str) -> Iterator[frozenset[str]]:
    whole = _things(told, deed)
    if whole:
        yield whole
    for part in _beside(told):
        things = _things(part, deed)
        if things < whole and fsum(clause.core[one] for one in things) >= PLAIN:
            yield things


def _things(told: Sequence[Word], deed: str) -> frozenset[str]:
    things = frozenset(word.stem for word in told if word.weight)
    is_named = things - {deed} or not any(word.stem in _PRONOUNS for word in told)
    return things - {deed} or things if is_named else frozenset()


def _heads(told: Sequence[Word], things: frozenset[str]) -> frozenset[str]:
    """The last word of each run of telling words."""
    kept = [word if word.stem in things else None for word in told]
    pairs = zip(kept, [*kept[1:], None], strict=True)
    return frozenset(word.stem for word, after in pairs if word and after is None)


def _beside(told: Sequence[Word]) -> Iterator[list[Word]]:
    part: list[Word] = []
    for word in told:
        if word.stem in _BESIDE:
            yield part
            part = []
        else:
            part.append(word)
    yield part
