"""Alignment: how a caller's list goes on from what a session has."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from clew.adapters.alignment import Alignment, GivenMessages, Outline, align, outline
from clew.domain import Message, Role, Text, Wire, assistant, user

VIEW = [user("q1"), assistant("a1"), user("q2"), assistant("a2"), user("q3"), assistant("a3")]


def view(messages: list[Message]) -> list[Outline]:
    return [outline(replace(one, id=f"m{at}")) for at, one in enumerate(messages, 1)]


def aligned(known: list[Message], given: list[Message]) -> Alignment:
    return align(view(known), GivenMessages(given, "anthropic").as_known().records)


def calls_made(work: Callable[[], object]) -> int:
    """How many functions of Python are entered meanwhile."""
    seen = Counter[str]()
    sys.setprofile(lambda frame, event, _: seen.update([event]))
    try:
        work()
    finally:
        sys.setprofile(None)
    return seen["call"]


def edits(found: Alignment) -> list[tuple[str, int | None]]:
    """Ids of messages, and the place of what takes theirs."""
    return [(old.id, new.place if new else None) for old, new in found.edited]


def dropped(found: Alignment) -> list[str]:
    return [one.id for one in found.dropped]


@pytest.mark.parametrize("cut", [0, 1, 2, 4])
def test_a_list_that_goes_on_is_new_after_what_is_known_wherever_it_begins(cut: int) -> None:
    found = aligned(VIEW, [*VIEW[cut:], user("q4")])
    assert (found.new, found.rewrites) == (len(VIEW) - cut, False)


@pytest.mark.parametrize("cut", [0, 2, 3])
def test_a_list_that_ends_earlier_drops_what_follows(cut: int) -> None:
    found = aligned(VIEW, VIEW[cut:5])
    assert (found.new, edits(found), dropped(found)) == (5 - cut, [], ["m6"])


def test_other_words_in_the_middle_take_the_place_of_the_known_ones() -> None:
    found = aligned(VIEW, [user("q1 edited"), *VIEW[1:3], assistant("a2 edited"), *VIEW[4:], user("q4")])
    assert (found.new, edits(found), dropped(found)) == (6, [("m1", 0), ("m4", 3)], [])


def test_what_is_cut_out_of_the_middle_leaves() -> None:
    found = aligned(VIEW, [*VIEW[:2], *VIEW[4:], user("q4")])
    assert (found.new, edits(found), dropped(found)) == (4, [("m3", None), ("m4", None)], [])


def test_a_summary_takes_the_place_of_all_before_what_it_stands_before() -> None:
    found = aligned(VIEW, [user("A summary."), *VIEW[4:], user("q4")])
    assert (found.new, edits(found)[0], found.reaches_back) == (3, ("m1", 0), True)
    assert edits(found)[1:] == [("m2", None), ("m3", None), ("m4", None)]


def system(text: str) -> Message:
    return Message(role=Role.SYSTEM, parts=(Text(text=text),))


def test_a_system_message_further_down_is_compared_like_any_other() -> None:
    known = [*VIEW[:2], system("In German."), *VIEW[2:]]
    assert not aligned(known, [*known, user("q4")]).rewrites
    assert edits(aligned(known, [*VIEW[:2], system("In French."), *VIEW[2:]])) == [("m3", 2)]
    assert edits(aligned(known, VIEW)) == [("m3", None)]
    found = aligned(VIEW, [*VIEW[:4], system("q3"), *VIEW[4:]])  # words of the user are others
    assert (found.new, dropped(found)) == (4, ["m5", "m6"])


def test_system_prompts_at_the_head_of_a_list_or_beside_it_are_no_messages_of_it() -> None:
    beside = replace(system("Be brief."), wire=Wire("anthropic", {"system": "Be brief."}))
    assert aligned(VIEW, [system("Be kind."), *VIEW[:2], beside, *VIEW[2:]]) == Alignment(new=8, shared=6)


@pytest.mark.parametrize("place", [0, 2])
def test_after_something_that_is_put_in_all_is_new(place: int) -> None:
    found = aligned(VIEW, [*VIEW[:place], user("put in"), *VIEW[place:]])
    assert (found.new, dropped(found)) == (place, [f"m{at}" for at in range(place + 1, 7)])


def test_a_list_with_only_the_greeting_in_common_is_a_new_one() -> None:
    assert aligned(VIEW, [user("q1")]) == Alignment()
    assert aligned(VIEW, [user("something else")]) == Alignment()


def test_a_request_alone_is_asked_again_if_it_has_no_whole_answer() -> None:
    broken = replace(assistant("a"), interrupted=True)
    assert (aligned(VIEW[:5], [user("q3")]).new, aligned(VIEW, [user("q3")])) == (1, Alignment())
    found = aligned([*VIEW[:5], broken], [user("q3")])
    assert (found.new, dropped(found)) == (1, ["m6"])


def test_the_last_request_with_another_answer_is_known() -> None:
    found = aligned(VIEW, [user("q3"), assistant("a3 in other words"), user("q4")])
    assert (found.new, dropped(found)) == (1, ["m6"])


def test_the_only_request_is_asked_again() -> None:
    records = GivenMessages([user("q1")], "anthropic").as_known().records
    assert dropped(align(view(VIEW[:2]), records, is_whole=True)) == ["m2"]
    assert not align(view(VIEW[:2]), records).shared


def test_what_stands_before_a_list_that_was_begun_behind_it_stays() -> None:
    records = GivenMessages([user("q2 edited"), *VIEW[3:]], "anthropic").as_known().records
    assert edits(align(view(VIEW), records, begun={"m3"})) == [("m3", 0)]


def test_words_said_often_are_those_said_last() -> None:
    known = [user("go"), assistant("done")] * 3
    asked_again, goes_on = aligned(known, known[:3]), aligned(known, [*known, user("go")])
    assert (asked_again.new, dropped(asked_again), goes_on.new) == (3, ["m6"], 6)
    assert not aligned(known, [*known[:4], user("next")]).rewrites


def test_one_reply_may_be_several_items() -> None:
    known = [user("q"), replace(assistant("a"), parts=(*assistant("a").parts, *assistant("b").parts))]
    assert aligned(known, [user("q"), assistant("a"), assistant("b"), user("q2")]).new == 3
    found = aligned(known, [user("q"), assistant("changed"), assistant("b"), user("q2")])
    assert (found.new, dropped(found)) == (1, ["m2"])


def said(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_what_was_compared_is_not_decoded_again() -> None:
    first = GivenMessages([said("q1"), said("q2")], "anthropic").as_known()
    cut = GivenMessages([said("q2")], "anthropic", known=first)
    assert ([one.outline for one in cut.as_known().records], cut._decoded) == ([first.records[1].outline], {})


def test_a_list_that_goes_on_keeps_the_records_it_had() -> None:
    first = GivenMessages([said("q1"), said("q2")], "anthropic").as_known()
    longer = GivenMessages([said("q1"), said("q2"), said("q3")], "anthropic", known=first)
    records = longer.as_known().records
    assert (records[0] is first.records[0], records[1] is first.records[1]) == (True, True)
    assert (len(records), list(longer._decoded)) == (3, [2])


@pytest.mark.parametrize("other", [{"role": "user", "content": "q2 and more"}, {"role": "user", "content": "q"}])
def test_a_list_with_another_word_does_not_go_on(other: dict[str, str]) -> None:
    first = GivenMessages([said("q1"), said("q2")], "anthropic").as_known()
    changed = GivenMessages([said("q1"), other], "anthropic", known=first)
    alone = GivenMessages([said("q1"), other], "anthropic")
    assert (changed.as_known().records, list(changed._decoded)) == (alone.as_known().records, [1])


def test_a_list_that_goes_on_is_compared_in_as_many_steps_however_long_it_is() -> None:
    def steps(count: int) -> int:
        known = [message for at in range(count) for message in (user(f"q{at}"), assistant(f"a{at}"))]
        has, records = view(known), GivenMessages([*known, user("next")], "anthropic").as_known().records
        return calls_made(lambda: align(has, records))

    assert steps(200) == steps(20)


@dataclass
class Said:
    """An object as frameworks have them."""

    content: Any
    type: str = "human"


class Told(Said):
    """One of another type."""


def test_an_object_that_says_the_same_is_not_decoded_again() -> None:
    first = GivenMessages([Said("q1")], "anthropic").as_known()
    again = GivenMessages([Said("q1"), Said("q2")], "anthropic", known=first)
    assert [len(one.outline.marks) for one in again.as_known().records] == [1, 1]
    assert list(again._decoded) == [1]


def test_an_object_of_another_type_is_decoded_whatever_it_says() -> None:
    first = GivenMessages([Said("q1")], "anthropic").as_known()
    again = GivenMessages([Told("q1")], "anthropic", known=first)
    assert (again.as_known().records, list(again._decoded)) == (first.records, [0])
