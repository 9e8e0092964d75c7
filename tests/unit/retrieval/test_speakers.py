"""Who is meant by a name: by the label before what they say, or because the others call them so."""

from __future__ import annotations

from clew.ports import Postings
from clew.retrieval.fusion import PERSON, Figures, Speakers, find_speakers

#: Twenty messages, the odd ones of a person.
SIZES = [0, *[4] * 20]
MARKS = [PERSON * (number % 2) for number in range(21)]


def holders(*numbers: int) -> list[Postings]:
    return [Postings("ann", len(numbers), numbers)]


def test_a_label_names_its_speaker() -> None:
    figures = Figures(SIZES, MARKS, ["ann lee", "ben"])
    assert find_speakers(["Ann", "Paris"], figures, lambda _: []) == Speakers(("Ann",), frozenset({1}))


def test_whom_the_others_call_by_a_name_bears_it() -> None:
    by_partner = find_speakers(["Ann"], Figures(SIZES, MARKS), lambda _: holders(2, 4, 6, 8, 10))
    assert by_partner == Speakers(("Ann",), persons=True)
    by_person = find_speakers(["Ann"], Figures(SIZES, MARKS), lambda _: holders(1, 3, 5, 7, 9))
    assert by_person == Speakers(("Ann",), persons=False)


def test_a_name_that_all_use_or_few_is_nobodys() -> None:
    assert find_speakers(["Ann"], Figures(SIZES, MARKS), lambda _: holders(1, 2, 3, 4, 5, 6)) == Speakers()
    assert find_speakers(["Ann"], Figures(SIZES, MARKS), lambda _: holders(2, 4)) == Speakers()
