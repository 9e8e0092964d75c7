"""The list of items that a session is to an agent framework."""

from __future__ import annotations

from typing import Any

import pytest

import clew
from clew.adapters.conversation import Conversation
from clew.adapters.item_log import FORMAT, ItemLog
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.parts import Call

pytestmark = pytest.mark.stores("memory")


def log_of(engine: Engine) -> ItemLog:
    return ItemLog(Conversation(engine.session("s"), format=FORMAT))


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": text}


def test_an_item_that_the_session_ends_with_is_added_again(engine: Engine) -> None:
    log = log_of(engine)
    for _ in range(3):
        log.append([said("Yes.")])
    assert log.items() == [said("Yes.")] * 3


def test_a_reply_after_one_that_was_taken_out_is_a_message_of_its_own(engine: Engine) -> None:
    log = log_of(engine)
    log.append([said("Hello."), said("First.", "assistant")])
    assert log.pop() == said("First.", "assistant")
    log.append([said("Second.", "assistant")])
    assert log.items() == [said("Hello."), said("Second.", "assistant")]
    assert engine.session("s").recall("m2@1")[0].text.endswith("First.")


def test_items_of_another_format_are_taken_out_one_by_one(engine: Engine) -> None:
    engine.session("s").record(
        [clew.user("Hello."), clew.assistant("Let me", "look.", Call(id="c", name="look", arguments={}))]
    )
    log = log_of(engine)
    popped = [log.pop() for _ in range(4)]
    assert [item and item["type"] for item in popped] == ["function_call", "message", "message", None]
    assert log.items() == []


def test_what_was_packed_is_not_added_again(engine: Engine) -> None:
    log = log_of(engine)
    log.pack([said("Hello.")], model="gpt-5")
    log.append([said("Hello."), said("Hi.", "assistant")])
    log.pack([said("Hello."), said("Hi.", "assistant"), said("Hello.")], model="gpt-5")
    log.append([said("Hello."), said("Hello.")])
    assert [item["content"] for item in log.items()] == ["Hello.", "Hi.", "Hello.", "Hello."]


def test_items_that_share_nothing_with_the_session_are_refused(engine: Engine) -> None:
    log = log_of(engine)
    log.append([said("Hello."), said("Hi.", "assistant")])
    with pytest.raises(UsageError, match="does not go on from session s; run with session=memory"):
        log.pack([said("Something else.")], model="gpt-5")
    assert len(log.items()) == 2


def sent(log: ItemLog, items: list[Any]) -> list[Any]:
    return list(log.pack(items, model="gpt-5").request(FORMAT)["input"])


def test_items_of_one_call_that_say_otherwise_are_sent_and_the_list_stays(engine: Engine) -> None:
    log = log_of(engine)
    items = [said("Hello."), said("Hi.", "assistant"), said("More.")]
    log.append(items)
    for shown in ([said("Hello."), said("More.")], [said("More.")], [said("HELLO."), *items[1:]], [said("In short.")]):
        assert sent(log, shown) == shown
        assert log.items() == items
    assert sent(log, items) == items
    assert {one.id for one in engine.sessions()} == {"s", "s.handoff"}


def test_a_list_that_was_read_without_its_beginning_goes_on_from_all_of_it(engine: Engine) -> None:
    log = log_of(engine)
    items = [said("Hello."), said("Hi.", "assistant"), said("More.")]
    log.append(items)
    assert sent(log, log.items(limit=2)) == items
