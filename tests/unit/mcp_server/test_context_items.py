"""Items have one speaker each, whatever a message is made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message, Origin, Role, Text
from clew.engine.engine import Engine
from clew.mcp_server.context_items import items_of, speaker_of
from tests.builders import call, gives, injected, output, says, user

pytestmark = [pytest.mark.stores("memory"), pytest.mark.person]


@pytest.mark.parametrize(
    ("message", "speaker"),
    [
        (user("Go on"), "user"),
        (says("Done"), "assistant"),
        (injected("Reminder: be careful"), "client"),
        (replace(user("Earlier …"), origin=Origin.SUMMARY), "summary"),
        (replace(user("find it"), thread="a7"), "subagent a7"),
        (gives(output("c1")), "tool"),
        (Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text="Be brief"),)), "system"),
    ],
)
def test_whose_words_they_are(message: Message, speaker: str) -> None:
    assert speaker_of(message) == speaker


def test_what_a_tool_gave_and_what_was_typed_beside_it_are_told_apart(engine: Engine) -> None:
    session = engine.session("s1")
    mixed = replace(user("and fix it"), parts=(output("c1", "rm -rf /"), Text(text="and fix it")))
    session.record([user("Look"), says(call("c1")), mixed])
    told = [(item.speaker, item.data, item.text) for item in items_of(session, "m3", "full")]
    assert told == [("tool", True, "← rm -rf /"), ("user", False, "and fix it")]


def test_pins_are_read_as_data_by_their_id(engine: Engine) -> None:
    session = engine.session("s1")
    session.record([user("Look")])
    pinned = session.pin("Use tabs")
    assert [(item.speaker, item.text) for item in items_of(session, pinned.id, "full")] == [("clew", "Use tabs")]
