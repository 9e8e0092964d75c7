"""What says a query word for word comes first."""

from __future__ import annotations

from collections.abc import Mapping

from clew.domain import SessionKey
from clew.retrieval.exact_first import READ_FOR_PHRASES, Place, exact_first
from clew.retrieval.exact_words import exact_words
from clew.retrieval.fusion import Ranked

_KEY = SessionKey("", "", "s1")


def _place(number: int) -> Place:
    return _KEY, number


def test_a_phrase_that_nobody_says_needs_no_ranking() -> None:
    def rank() -> Mapping[Place, Ranked]:
        raise AssertionError("nothing is to be ranked")

    held = map(_place, range(READ_FOR_PHRASES))
    exact = exact_words('"the blue harbour"')
    found = exact_first(rank, held, exact, read=lambda _: "the harbour is blue", is_person=lambda _: False)
    assert found == []


def test_of_more_than_are_read_those_of_people_and_the_best_are() -> None:
    most = READ_FOR_PHRASES + 3
    best, person, read = most - 2, most - 1, list[int]()

    def said(place: Place) -> str:
        read.append(place[1])
        return "The blue harbour"

    found = exact_first(
        lambda: {_place(best): Ranked(best, 0.25)},
        map(_place, range(most)),
        exact_words('"the blue harbour"'),
        read=said,
        is_person=lambda place: place[1] == person,
    )
    assert read[:3] == [person, best, 0]
    assert len(read) == len(found) == READ_FOR_PHRASES
    assert [number for (_, number), _ in found][:2] == [person, best]
