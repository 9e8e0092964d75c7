"""Branches of a session."""

from __future__ import annotations

from clew.domain import user
from clew.engine.engine import Engine
from clew.engine.session_branches import branches_of, new_branch


def test_branches_are_numbered_and_found_again(engine: Engine) -> None:
    session = engine.session("s", model="gpt-5")
    session.record([user("Hello.")])
    assert branches_of(session) == []
    copied = new_branch(session, with_history=True)
    empty = new_branch(session, with_history=False)
    empty.record([user("Else.")])
    assert [one.id for one in branches_of(session)] == ["s.2", "s.3"]
    assert [one.text for one in copied.messages()] == ["Hello."]
    assert ([one.text for one in empty.messages()], empty.info.model) == (["Else."], "gpt-5")
