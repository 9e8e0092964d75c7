"""Where things go: "tests live in tests/", "put the tests next to the code", "the entry point is src/main.py".

Only what is ruled for good is told. Where a fault was found, or where one file is to be put, differs by the hour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from clew.signals.facts import lexicon
from clew.signals.facts.clauses import Clause
from clew.signals.facts.words import PLAIN, Word
from clew.text.vocabulary import words

_AT = words("in under at inside into beside within")
_NEXT = words("next beside alongside along with to")
_LIE = lexicon.stems("live go sit reside stay belong put keep store save place")
_PUT = lexicon.stems("put keep store save place")
#: They are found here and there while work goes on.
_ROVING = lexicon.stems(
    "bug error problem issue failure crash leak mistake typo cause culprit change fix code function method class file"
    " line answer it data dataset warning regression difference"
)
#: Words of a place that name none.
_VAGUE = lexicon.stems("folder directory file place own same separate root path")
_MAX_PLACE, _MAX_THING, _SHOWN = 6, 4, 5


class Place(NamedTuple):
    """What is somewhere, where, and that as written."""

    thing: frozenset[str]
    where: frozenset[str]
    said: str


def place_of(clause: Clause) -> Place | None:
    """Where the clause says that things of a kind go."""
    mood = clause.mood
    return None if mood.supposes or mood.passing or mood.tries or mood.does else put_by(clause)


def put_by(clause: Clause) -> Place | None:
    """The same, be it ruled or told of a deed."""
    if clause.mood.negated:
        return None
    found = clause.words
    verb = next((at for at, word in enumerate(found) if word.stem in _LIE or _is_at(found, at, clause)), None)
    if verb is None:
        return None
    at = next((at for at in range(verb + 1, len(found)) if _opens(found, at, clause)), None)
    if at is None:
        return None
    thing = _thing(found, verb, at)
    where = frozenset(_named(found[at:]))
    said = " ".join(word.raw for word in found[at : at + _SHOWN])
    return Place(thing, where, said) if thing and where and thing.isdisjoint(_ROVING) else None


def _is_at(found: Sequence[Word], at: int, clause: Clause) -> bool:
    """The thing is there, and not only done there."""
    return found[at].stem == "be" and at + 1 < len(found) and _opens(found, at + 1, clause)


def _opens(found: Sequence[Word], at: int, clause: Clause) -> bool:
    """A preposition of place; or the file itself, where that is what the thing is."""
    raw = found[at].raw.lower()
    if raw in _AT or (raw == "next" and at + 1 < len(found) and found[at + 1].raw == "to"):
        return True
    return found[at - 1].stem == "be" and raw in clause.marks.get("path", ())


def _thing(found: Sequence[Word], verb: int, at: int) -> frozenset[str]:
    """What stands before the verb; where somebody is told to put it, what stands behind, if it is many."""
    before = [word for word in found[:verb] if word.weight]
    if before:
        return frozenset(word.stem for word in before) if len(before) <= _MAX_THING else frozenset()
    between = [word for word in found[verb + 1 : at] if word.weight]
    is_many = bool(between) and between[-1].raw.endswith("s")
    is_told = found[verb].stem in _PUT and is_many and len(between) <= _MAX_THING
    return frozenset(word.stem for word in between) if is_told else frozenset()


def _named(found: Sequence[Word]) -> list[str]:
    """The place itself, as far as it is named: a path, a name, or "next to" something."""
    told = [word for word in found[:_MAX_PLACE] if word.weight >= PLAIN or _is_path(word)]
    told = [word for word in told if word.stem not in lexicon.VALUES]
    if found[0].raw.lower() in _NEXT:
        return [f"next to {' '.join(word.stem for word in told)}"]
    return [word.stem for word in told if word.stem not in _VAGUE] or [word.stem for word in told]


def _is_path(word: Word) -> bool:
    return "/" in word.raw or "." in word.raw
