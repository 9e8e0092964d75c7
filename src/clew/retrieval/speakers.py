"""Who is meant by a name in a query: somebody whose name stands before what they say, or whom the others call by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.ports import Postings
from clew.retrieval.fusion import PERSON, Figures
from clew.retrieval.words import words_of

#: A name that fewer messages hold is nobody's who speaks here.
_LEAST, _LEAST_SHARE = 5, 0.03
#: How many times as often one side says the name, so that it is the other's.
_RATIO = 3

Find = Callable[[Sequence[str]], Sequence[Postings]]


@dataclass(frozen=True, slots=True)
class Speakers:
    """The names of those who speak, their labels, and whether the person or their partner is named; None: neither."""

    names: tuple[str, ...] = ()
    labels: frozenset[int] = frozenset()
    persons: bool | None = None


def find_speakers(names: Sequence[str], figures: Figures, find: Find) -> Speakers:
    """Which of these names are those of speakers."""
    found: list[str] = []
    labels: set[int] = set()
    persons: set[bool] = set()
    for name in names:
        own = {at for at, label in enumerate(figures.labels, 1) if name.casefold() in label.split()}
        side = None if own or figures.labels else _side(name, figures, find)
        labels |= own
        if side is not None:
            persons.add(side)
        if own or side is not None:
            found.append(name)
    return Speakers(tuple(found), frozenset(labels), persons.pop() if len(persons) == 1 else None)


def _side(name: str, figures: Figures, find: Find) -> bool | None:
    """True when those who are no persons call somebody so, False when persons do; None when it is no such name."""
    sayings = [number for one in find(words_of(name)[:1]) for number in one.numbers]
    if len(sayings) < max(_LEAST, _LEAST_SHARE * len(figures.sizes)):
        return None
    spoken = [figures.mark(number) & PERSON for number, size in enumerate(figures.sizes) if size]
    persons = sum(figures.mark(number) & PERSON for number in sayings) / max(sum(spoken), 1)
    others = sum(not figures.mark(number) & PERSON for number in sayings) / max(len(spoken) - sum(spoken), 1)
    if others > _RATIO * persons:
        return True
    return False if persons > _RATIO * others else None
