"""Whatever a caller does to its list, the session's view ends with what the list says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from clew.adapters.alignment import GivenRecord, Outline, align
from clew.domain import Role

WORDS = st.sampled_from(["go", "done", "yes", "no", "more", "stop"])
SIDES = st.sampled_from([Role.USER, Role.ASSISTANT])
Talk = list[tuple[Role, list[str]]]
MESSAGES = st.lists(st.tuples(SIDES, st.lists(WORDS, min_size=1, max_size=2)), max_size=8)


def outlines(messages: Talk, prefix: str = "") -> list[Outline]:
    return [
        Outline(
            tuple(f"{role} {word}".encode() for word in words),
            f"{prefix}{at}",
            role,
            is_answer=role is Role.ASSISTANT,
            is_request=role is Role.USER,
        )
        for at, (role, words) in enumerate(messages)
    ]


def followed(view: list[Outline], given: list[GivenRecord], *, is_whole: bool) -> list[bytes]:
    """The marks of the view after it has followed the list."""
    found = align(view, given, is_whole=is_whole)
    versions = {old.id: new.outline.marks if new else () for old, new in found.edited}
    gone = {one.id for one in found.dropped}
    kept = [mark for one in view if one.id not in gone for mark in versions.get(one.id, one.marks)]
    return [*kept, *(mark for one in given[found.new :] for mark in one.outline.marks)]


@given(MESSAGES, MESSAGES, st.booleans())
def test_the_view_ends_with_the_list(known: Talk, told: Talk, is_whole: bool) -> None:
    records = [GivenRecord(at, 0, one) for at, one in enumerate(outlines(told))]
    after = followed(outlines(known, "m"), records, is_whole=is_whole)
    marks = [mark for one in records for mark in one.outline.marks]
    assert after[len(after) - len(marks) :] == marks


@given(MESSAGES, MESSAGES)
def test_what_follows_a_list_twice_changes_nothing_more(known: Talk, told: Talk) -> None:
    talk = [*known, *told, (Role.ASSISTANT, ["a new answer"]), (Role.USER, ["a new question"])]
    view, records = outlines(talk, "m"), [GivenRecord(at, 0, one) for at, one in enumerate(outlines(talk))]
    found = align(view, records, is_whole=True)
    assert (found.rewrites, found.new) == (False, len(records))
