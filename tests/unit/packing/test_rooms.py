"""What is wanted is tried first, then all there is, then less and less for messages."""

from __future__ import annotations

import pytest

from clew.domain import CompactionRequest, Trigger
from clew.packing.rooms import Room, rooms_to_try


def tried(
    left: int, request: CompactionRequest | None = None, *, grows: bool = True, is_text: bool = False
) -> list[Room]:
    return list(
        rooms_to_try(left, request, entitled=300, grows=grows, fill=0.5, verbatim=0.4, is_text=is_text, uses_tools=True)
    )


def test_an_epoch_that_grows_leaves_room_for_that_before_it_takes_all() -> None:
    found = tried(1_000)
    assert [room.tokens for room in found] == [500, 500, 1_000, 956, 1_000, 900, 750]
    assert (found[0].added, found[0].tail) == (250, 100)
    assert [room.added for room in found[1:]] == [0, 300, 300, 0, 0, 0]
    assert [room.clips for room in found] == [False, False, True, True, False, False, False]
    assert [room.is_last for room in found] == [False, False, True, True, True, True, True]


def test_what_is_wanted_comes_first_and_may_hold_a_newest_step_that_is_larger() -> None:
    first, *_ = tried(1_000, CompactionRequest(trigger=Trigger.HAND, tokens=200))
    assert (first.tokens, first.spare) == (200, 800)
    assert first.holding(600) == Room(200 + 600 - first.tail, 600, first.added, 800)
    assert first.holding(2_000) == first


@pytest.mark.parametrize("wanted", [500, 700])
def test_a_compaction_leaves_room_though_it_is_only_looked_at(wanted: int) -> None:
    request = CompactionRequest(trigger=Trigger.HAND, tokens=wanted)
    looked_at = tried(1_000, request, grows=False)
    assert [room.tokens for room in looked_at] == [500, 500, 1_000, 956, 1_000, 900, 750]
    assert looked_at == tried(1_000, request)
    assert looked_at[0].spare == 500


def test_what_nobody_has_to_have_is_not_cut_for() -> None:
    found = tried(1_000, CompactionRequest(trigger=Trigger.PAYS, tokens=200))
    assert not Trigger.PAYS.is_forced
    assert [room.tokens for room in found] == [200, 200, 500, 500]


@pytest.mark.parametrize("grows", [True, False])
def test_a_text_has_no_tail(*, grows: bool) -> None:
    assert {room.tail for room in tried(1_000, grows=grows, is_text=True)} == {0}
