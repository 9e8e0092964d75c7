"""The view of a session that a caller's list is compared with."""

from __future__ import annotations

import pytest

from clew.adapters.session_state import SessionView
from clew.domain import Message, Role, Text, assistant, user
from clew.engine.engine import Engine

SYSTEM, SYSTEM_LATER = (Message(role=Role.SYSTEM, parts=(Text(text=text),)) for text in ("At first.", "Later."))

pytestmark = pytest.mark.stores("memory")


def ids(view: SessionView, count: int | None = None) -> list[str]:
    return [one.id for one in view.newest(count)]


def test_it_grows_with_the_session_and_follows_edits(engine: Engine) -> None:
    session = engine.session("s")
    view = SessionView(session)
    assert ids(view) == []
    session.record([user("q1"), assistant("a1")], system="Be brief.")
    assert ids(view) == ["m2", "m3"]
    session.record([user("q2")], system="Be kind.")
    session.record([assistant("a2")])
    assert ids(view) == ["m2", "m3", "m5", "m6"]
    session.channels.edit([("m2", user("edited")), ("m3", Message(role=assistant("").role, parts=()))])
    assert ids(view) == ["m7", "m5", "m6"]


def test_it_has_the_system_messages_that_stand_among_others(engine: Engine) -> None:
    session = engine.session("s")
    view = SessionView(session)
    session.record([SYSTEM, user("q1"), assistant("a1")], system="Be brief.")
    session.record([user("q2"), SYSTEM_LATER, user("q3")], system="Be kind.")
    assert ids(view) == ["m3", "m4", "m6", "m7", "m8"]


def test_it_reads_no_more_than_is_asked_for(engine: Engine) -> None:
    session = engine.session("s")
    session.record([user(f"q{at}") for at in range(9)])
    view = SessionView(session)
    assert ids(view, 2) == ["m8", "m9"]
    session.record([user("q9")])
    assert ids(view, 2) == ["m9", "m10"]
    assert len(ids(view)) == 10
