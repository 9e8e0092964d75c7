"""What can be read of a session."""

from __future__ import annotations

from clew.domain import Message, Role, Text, user
from clew.engine.engine import Engine
from tests.provider_replies import Says, anthropic_events


def test_system_messages_among_others_are_read_where_they_are_asked_for(engine: Engine) -> None:
    session = engine.session("s")
    later = Message(role=Role.SYSTEM, parts=(Text(text="Be brief."),))
    session.record([user("Hello."), later, user("More.")], system="Be kind.")
    assert [one.text for one in session.reader.recent_messages(9)] == ["Hello.", "More."]
    assert [one.text for one in session.reader.recent_messages(9, with_system=True)] == ["Hello.", "Be brief.", "More."]


def test_a_reply_that_was_left_is_recorded_before_anything_is_read(engine: Engine) -> None:
    session, heard = engine.session("s"), list[str]()
    session.record(user("Hello."))
    engine.on("recorded", lambda event: heard.extend(event.data["messages"]))
    for event in session.stream(anthropic_events(Says("Yes."), 1)):
        if event["type"] == "content_block_delta":
            break
    session.reader.tokens()
    assert heard == ["m2"]
