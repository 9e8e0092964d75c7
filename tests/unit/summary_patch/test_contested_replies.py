"""Replies that a person objected to."""

from __future__ import annotations

from clew.summary_patch.contested_replies import contested_replies
from tests.builders import says, user
from tests.unit.summary_patch.examples import numbered


def test_all_steps_before_an_objection_are_contested() -> None:
    steps = numbered(
        user("Why?"), says("I look."), says("The hook does it."), user("Are you sure? It is not the hook.")
    )
    assert contested_replies(steps) == {2, 3}


def test_a_reply_that_was_taken_up_is_not() -> None:
    assert contested_replies(numbered(user("Why?"), says("The hook does it."), user("Great, fix the hook."))) == set()
