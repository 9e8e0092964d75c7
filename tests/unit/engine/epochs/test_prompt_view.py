"""A view that grows with its session holds what one that is read anew holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import clew
from clew.engine.epochs.prompt_view import PromptView
from clew.engine.session import Session
from tests.builders import says, user
from tests.work import work


def rewrite(session: Session) -> None:
    session.edit("m2", "Something else.")


@pytest.mark.parametrize("first", [1, 5])
@pytest.mark.parametrize("change", [rewrite, Session.rollback, Session.compact, Session.pack])
def test_what_is_added_is_what_is_there(first: int, change: Callable[[Session], object]) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s", model="gpt-5")
        ledger = session.reader._ledger
        session.record(work(12))
        view = PromptView(ledger, first)
        view.messages()
        steps = (lambda: session.record([user("On."), says("Yes.")]), lambda: change(session), lambda: None)
        for at, step in enumerate(steps):
            step()
            session.record([user("And on."), replace(says("Gladly."), model=f"gpt-{at}" if at != 1 else None)])
            anew = PromptView(ledger, first)
            assert (view.messages(), view.newest_model()) == (anew.messages(), anew.newest_model())


def test_entries_that_hold_no_message_leave_it_as_it_is() -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s", model="gpt-5")
        session.record(work(30))
        view = PromptView(session.reader._ledger, 1)
        held = list(view.messages())
        assert session.compact(budget=3_000).undo
        assert all(now is before for now, before in zip(view.messages(), held, strict=True))
