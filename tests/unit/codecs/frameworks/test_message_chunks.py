"""Chunks of a streamed LangChain message are one message."""

from __future__ import annotations

from typing import Any

import pytest

from clew.domain import Role
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.parts import Call, Output, Text

pytestmark = pytest.mark.stores("memory")
messages = pytest.importorskip("langchain_core.messages")


def piece(arguments: str, name: str | None = None, id: str | None = None) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": id, "index": 0}


def chunk(content: str = "", *calls: dict[str, Any], **fields: Any) -> Any:
    return messages.AIMessageChunk(content=content, tool_call_chunks=list(calls), **fields)


def streamed() -> list[Any]:
    last = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    return [
        chunk("I ", id="run-1"),
        chunk("look.", piece('{"a"', "f", "c1"), id="run-1"),
        chunk("", piece(": 1}"), id="run-1", usage_metadata=last, chunk_position="last"),
    ]


def test_chunks_are_added_up_as_langchain_adds_them(engine: Engine) -> None:
    session = engine.session("s")
    again = [chunk("Do", id="run-2"), chunk("ne.", id="run-2")]
    session.record([messages.HumanMessage("q"), *streamed(), messages.ToolMessage("r", tool_call_id="c1"), *again])
    _, asked, _, done = session.messages()
    assert asked.parts == (Text(text="I look."), Call(id="c1", name="f", arguments={"a": 1}))
    assert asked.usage is not None
    assert asked.usage.output_tokens == 4
    assert done.text == "Done."


def test_a_message_of_its_own_begins_where_another_ended(engine: Engine) -> None:
    session = engine.session("s")
    session.record([chunk("a", id="run-1"), chunk("b", id="run-2")])
    session.record([chunk("c", chunk_position="last"), chunk("d")])
    assert [message.text for message in session.messages()] == ["a", "b", "c", "d"]


def test_a_reply_may_be_its_chunks(engine: Engine) -> None:
    session = engine.session("s")
    assert [call.arguments for call in session.reply(streamed()).calls] == [{"a": 1}]


def test_chunks_of_tools_are_theirs(engine: Engine) -> None:
    session = engine.session("s")
    session.record([messages.HumanMessage("q"), *streamed()])
    halves = [messages.ToolMessageChunk(text, tool_call_id="c1") for text in ("half", " whole")]
    session.record(halves)
    assert session.messages()[-1].role is Role.TOOL
    assert session.messages()[-1].parts == (Output(call_id="c1", content=(Text(text="half whole"),)),)


def test_dumps_of_chunks_cannot_be_added(engine: Engine) -> None:
    session = engine.session("s")
    with pytest.raises(UsageError, match="message 1 is the dump of a chunk"):
        session.record([one.model_dump() for one in streamed()])
    assert session.info.entries == 0
