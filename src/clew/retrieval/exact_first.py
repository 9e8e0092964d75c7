"""What says a query word for word comes first, wherever it would stand by its score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from clew.domain import SessionKey
from clew.ports import Postings
from clew.retrieval.exact_words import ExactWords
from clew.retrieval.fusion import Ranked

#: Messages that are read to see whether they say the query word for word: of people, whose words are few, of others,
#: and of all for phrases in quotation marks.
_READ_OF_PERSONS, _READ_OF_OTHERS, READ_FOR_PHRASES = 1_000, 80, 3_000
#: What it is worth to say it word for word: more than all else; and that a person does.
_EXACT, _BY_PERSON = 2.0, 0.5

#: A session and the number of a message in it.
Place = tuple[SessionKey, int]


def exact_first(
    rank: Callable[[], Mapping[Place, Ranked]],
    held: Iterable[Place],
    exact: ExactWords,
    *,
    read: Callable[[Place], str],
    is_person: Callable[[Place], bool],
) -> list[tuple[Place, Ranked]]:
    """Returns what is found, best first, those before all others that say the query word for word. Of a query with
    phrases in quotation marks, only those that say these.

    ``rank`` returns what is found without regard to that: it is not asked where nobody says a phrase. ``held`` are
    messages with all the words, ``read`` returns what one says, and ``is_person`` whether a person does.
    """
    places = list(held)
    if exact.phrases and len(places) <= READ_FOR_PHRASES:
        said = [place for place in places if exact.are_said(read(place))]
        found = rank() if said else {}
    else:
        found = rank()
        said = [place for place in _most_likely(places, found, exact, is_person) if exact.are_said(read(place))]
    lifted = {
        place: _with_exact_score(found.get(place) or Ranked(place[1], 0.0), is_person=is_person(place))
        for place in _best_first(said, found, is_person)
    }
    rest = [] if exact.phrases else [(place, one) for place, one in found.items() if place not in lifted]
    return [*sorted(lifted.items(), key=lambda pair: -pair[1].score), *rest]


def _most_likely(
    places: list[Place], found: Mapping[Place, Ranked], exact: ExactWords, is_person: Callable[[Place], bool]
) -> list[Place]:
    """The places that are read where not all are."""
    places = _best_first(places, found, is_person)
    if exact.phrases:
        return places[:READ_FOR_PHRASES]
    persons = sum(map(is_person, places))
    return [*places[:persons][:_READ_OF_PERSONS], *places[persons:][:_READ_OF_OTHERS]]


def _best_first(
    places: Iterable[Place], found: Mapping[Place, Ranked], is_person: Callable[[Place], bool]
) -> list[Place]:
    """Places of people before those of others, each by their scores."""
    return sorted(places, key=lambda place: (not is_person(place), -found[place].score if place in found else 0.0))


def together(postings: Sequence[Postings], words: Collection[str], sizes: Sequence[int]) -> list[int]:
    """Returns the messages that hold all the words and are to be found, the newest first."""
    numbers = [set(posting.numbers) for posting in postings]
    if not numbers or len(numbers) < len(set(words)):
        return []
    return [one for one in sorted(set.intersection(*numbers), reverse=True) if one < len(sizes) and sizes[one]]


def _with_exact_score(ranked: Ranked, *, is_person: bool) -> Ranked:
    exact = _EXACT + _BY_PERSON * is_person
    return replace(ranked, score=round(ranked.score + exact, 6), why={**ranked.why, "exact": exact})
