"""The order of what was found: meaning beside words, the region, who speaks, and when."""

from __future__ import annotations

from clew.ports import Postings
from clew.retrieval.fusion import LABEL_BITS, PERSON, QUESTION, Figures, Nearness, Preference, rank

#: Messages 1, 21, 41 stand so far apart that none is in the region of another.
FAR = [0, *(size for _ in range(3) for size in (4, *[0] * 19))]
ROPE = [Postings("rope", 3, (1, 21, 41))]


def marks(**by_number: int) -> list[int]:
    return [by_number.get(f"m{number}", 0) for number in range(len(FAR))]


def order(figures: Figures, preference: Preference | None = None, nearness: Nearness | None = None) -> list[int]:
    return [one.number for one in rank(ROPE, figures, limit=10, preference=preference, nearness=nearness)]


def test_of_equals_the_newest_comes_first_and_no_more_than_asked() -> None:
    assert order(Figures(FAR)) == [41, 21, 1]
    assert [one.number for one in rank(ROPE, Figures(FAR), limit=2)] == [41, 21]


def test_meaning_adds_to_words_and_finds_what_has_none_of_them() -> None:
    near = {1: 1.0, 21: 0.1, 41: 0.2, 61: 0.0}
    assert order(Figures(FAR), nearness=Nearness([1], near.__getitem__))[0] == 1
    found = rank([], Figures(FAR), limit=5, nearness=Nearness([1, 999], near.__getitem__))
    assert [one.number for one in found] == [1]
    assert rank([], Figures(FAR), limit=5) == []


def test_whoever_the_query_names_comes_first() -> None:
    labelled = Figures(FAR, marks(m1=1 << LABEL_BITS, m21=2 << LABEL_BITS), ["ann", "ben"])
    assert order(labelled, Preference(labels={1}))[0] == 1
    roles = Figures(FAR, marks(m1=PERSON))
    assert order(roles, Preference(persons=True))[0] == 1
    assert order(roles, Preference(persons=False))[-1] == 1
    assert order(roles, Preference(asker=True))[0] == 1


def test_a_short_question_tells_less_than_what_is_said() -> None:
    assert order(Figures(FAR, marks(m41=QUESTION)))[-1] == 41


def test_messages_of_the_time_asked_for_come_first_and_are_found_by_it_alone() -> None:
    assert order(Figures(FAR), Preference(in_time={1}))[0] == 1
    found = rank([], Figures(FAR), limit=5, preference=Preference(in_time={21}))
    assert [(one.number, dict(one.why)) for one in found] == [(21, {"time": 0.5})]


def test_a_message_amid_others_that_match_comes_before_one_alone() -> None:
    sizes = [0, *[4] * 12, *[0] * 20, 4]
    found = rank([Postings("rope", 4, (1, 5, 9, 33))], Figures(sizes), limit=4)
    assert [one.number for one in found] == [9, 5, 1, 33]
