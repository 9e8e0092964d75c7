"""Saying that an answer is no longer wanted."""

from __future__ import annotations

from clew.cancellation import Cancel


def test_listeners_hear_it_once_and_late_ones_at_once() -> None:
    cancel, heard = Cancel(), []
    cancel.on(lambda: heard.append("early"))
    off = cancel.on(lambda: heard.append("gone"))
    off()
    assert (cancel.is_set, cancel.wait(0)) == (False, False)
    cancel.cancel()
    cancel.cancel()
    cancel.on(lambda: heard.append("late"))
    assert (heard, cancel.is_set, cancel.wait(60)) == (["early", "late"], True, True)


def test_taking_off_a_listener_twice_does_no_harm() -> None:
    cancel = Cancel()
    off = cancel.on(lambda: None)
    off()
    off()
    cancel.cancel()
