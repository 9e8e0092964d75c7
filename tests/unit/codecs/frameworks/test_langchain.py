"""Messages of LangChain, built with the package itself where it is installed."""

from __future__ import annotations

from typing import Any

import pytest

from clew.codecs.frameworks.langchain import message_fields, read_message, write_block
from clew.codecs.providers import anthropic_blocks
from clew.domain import Call, Json, Media, Message, Opaque, Output, Part, Reasoning, Role, Status, Text, Usage, Wire

THOUGHT: Json = {"type": "thinking", "thinking": "Hm.", "signature": "seal"}

NUMBERED = {"type": "text", "text": "q", "index": 0}


def read(data: Json) -> Message:
    fields = message_fields(data)
    assert fields is not None
    return read_message(fields)


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ("q", Text(text="q")),
        (NUMBERED, Text(text="q", wire=Wire("langchain", NUMBERED))),
        (THOUGHT, Reasoning(text="Hm.", seal="seal", wire=Wire("anthropic", THOUGHT))),
        ({"type": "reasoning", "reasoning": "Hm."}, Reasoning(text="Hm.")),
        ({"type": "image", "base64": "AAAA", "mime_type": "image/png"}, Media(media_type="image/png", data="AAAA")),
        ({"type": "image", "url": "https://x/y"}, Media(media_type="image", url="https://x/y")),
        ({"type": "tool_call", "id": "c1", "name": "look", "args": {}}, Call(id="c1", name="look", arguments={})),
    ],
)
def test_blocks_of_content(block: Any, part: Part) -> None:
    assert read({"type": "ai", "content": [block]}).parts == (part,)


@pytest.mark.parametrize("block", [{"type": "sonar"}, {"type": "text"}, {}, {"type": ["text"]}, {"type": "image"}])
def test_blocks_that_are_not_known_stay_whole(block: Json) -> None:
    (part,) = read({"type": "human", "content": [block]}).parts
    assert isinstance(part, Opaque)
    assert part.wire == Wire("langchain", block)


def test_a_call_that_stands_in_the_content_too_is_one() -> None:
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    calls = [{"id": "c1", "name": "look", "args": {}}, {"id": "c2", "name": "dive", "args": {}}]
    broken = [{"id": "c3", "name": "sink", "args": '{"a', "error": "no JSON"}]
    message = read({"type": "ai", "content": [use], "tool_calls": calls, "invalid_tool_calls": broken})
    assert [(call.id, call.arguments) for call in message.calls] == [("c1", {}), ("c2", {}), ("c3", '{"a')]


def test_a_tool_that_failed() -> None:
    data = {"type": "tool", "content": "no", "tool_call_id": "c1", "status": "error", "additional_kwargs": {}}
    output = Output(call_id="c1", content=(Text(text="no"),), status=Status.FAILED)
    assert (read(data).role, read(data).parts) == (Role.TOOL, (output,))


def test_cached_tokens_are_counted() -> None:
    details = {"cache_read": 4, "cache_creation": 2}
    usage = {"input_tokens": 7, "output_tokens": 3, "input_token_details": details}
    assert read({"type": "ai", "content": "", "usage_metadata": usage}).usage == Usage(7, 3, 4, 2)


@pytest.mark.parametrize(
    "data",
    [
        {"type": "system", "content": "a line of a transcript", "uuid": "1"},
        {"type": "human"},
        {"type": "ai", "role": "assistant", "content": "q"},
        {"type": "message", "content": "q"},
        {"role": "user", "content": "q"},
    ],
)
def test_other_dicts_are_no_messages_of_langchain(data: Json) -> None:
    assert message_fields(data) is None


def test_every_way_to_write_messages_out() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    load = pytest.importorskip("langchain_core.load")
    calls = [{"id": "c1", "name": "look", "args": {"deep": None}}]
    for one, role in [
        (messages.SystemMessage("Be brief."), Role.SYSTEM),
        (messages.HumanMessage("q"), Role.USER),
        (messages.AIMessage("I look.", tool_calls=calls), Role.ASSISTANT),
        (messages.AIMessageChunk("I look.", tool_calls=calls), Role.ASSISTANT),
        (messages.ToolMessage("done", tool_call_id="c1"), Role.TOOL),
        (messages.ChatMessage("q", role="user"), Role.USER),
    ]:
        found = read(one.model_dump())
        assert found.role is role
        assert found == read(messages.messages_to_dict([one])[0]) == read(load.dumpd(one))


def test_chunks_are_messages_too() -> None:
    message = read({"type": "ToolMessageChunk", "content": "fine", "tool_call_id": "c1"} | {"additional_kwargs": {}})
    assert message.parts == (Output(call_id="c1", content=(Text(text="fine"),)),)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "q"},
        {"type": "text", "text": "q", "extras": {"signature": "s"}},
        {"type": "image", "url": "https://x/y"},
        {"type": "file", "base64": "JVBERg==", "mime_type": "application/pdf", "filename": "d.pdf"},
        {"type": "video", "url": "https://x/v", "mime_type": "video/mp4", "id": "v1"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"},
        {"type": "image_url", "image_url": {"url": "https://x/y", "detail": "low"}},
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
        {"type": "something_new", "of": ["anybody"]},
        THOUGHT,
    ],
)
def test_a_block_is_written_as_it_was_read(block: dict[str, Any]) -> None:
    (part,) = read({"type": "ai", "content": [block]}).parts
    assert write_block(part) == block


def test_blocks_of_other_clients_are_written_as_langchain_has_them() -> None:
    source = {"type": "base64", "media_type": "application/pdf", "data": "JQ=="}
    pdf = {"type": "document", "title": "d", "source": source}
    made = {"type": "file", "base64": "JQ==", "mime_type": "application/pdf", "filename": "d"}
    assert write_block(anthropic_blocks.read_part(pdf)) == made
    assert write_block(Reasoning(seal="sealed")) is None
