"""Replies as the providers give them: recorded as what the assistant said, or refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

import clew
from clew.domain import Json, Role, Usage
from clew.engine.engine import Engine
from clew.errors import UsageError
from tests.builders import user

pytestmark = pytest.mark.stores("memory")

ANTHROPIC: Json = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "model-1",
    "content": [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 7, "output_tokens": 3},
}
CHAT: Json = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "model": "model-1",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I look.",
                "refusal": None,
                "annotations": [],
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
            },
        }
    ],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
}
RESPONSES: Json = {
    "id": "resp_1",
    "object": "response",
    "model": "model-1",
    "instructions": None,
    "tools": [],
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
        },
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"},
    ],
    "output_text": "I look.",
    "usage": {"input_tokens": 7, "output_tokens": 3},
}
GEMINI: Json = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"text": "I look."}, {"functionCall": {"name": "look", "args": {}}}],
            },
            "finishReason": "STOP",
        }
    ],
    "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 1},
    "modelVersion": "model-1",
    "responseId": "r1",
}
RESPONSE = {"anthropic": ANTHROPIC, "openai-chat": CHAT, "openai-responses": RESPONSES, "gemini": GEMINI}
CONTENT: dict[str, list[Any]] = {
    "anthropic": ANTHROPIC["content"],
    "openai-chat": [{"type": "text", "text": "I look."}],
    "openai-responses": RESPONSES["output"],
    "gemini": GEMINI["candidates"][0]["content"]["parts"],
}


@pytest.fixture
def session(engine: Engine) -> clew.Session:
    session = engine.session("s")
    session.record([user("What is this?")])
    return session


@pytest.mark.parametrize("named", [True, False], ids=["named", "found"])
@pytest.mark.parametrize("format", RESPONSE)
def test_a_whole_response_is_recorded_as_the_reply(session: clew.Session, format: str, named: bool) -> None:
    reply = session.reply(RESPONSE[format], format=format if named else None)
    assert (reply.content, [call.name for call in reply.calls]) == ("I look.", ["look"])
    last = session.messages()[-1]
    assert (len(session.messages()), last.role, last.text) == (2, Role.ASSISTANT, "I look.")
    assert (last.model, last.usage) == ("model-1", Usage(7, 3))


@pytest.mark.parametrize("format", RESPONSE)
def test_what_a_response_says_beside_the_message_is_not_sent_back(session: clew.Session, format: str) -> None:
    session.reply(RESPONSE[format], format=format)
    sent = str(session.reader.request(format, repair=False)[0].body)
    assert "I look." in sent
    assert not [name for name in ("stop_reason", "usage", "model-1", "annotations': None", "refusal") if name in sent]


@pytest.mark.parametrize("format", CONTENT)
def test_a_list_of_items_or_blocks_is_one_reply(session: clew.Session, format: str) -> None:
    assert session.reply(CONTENT[format], format=format).content == "I look."
    assert [message.role for message in session.messages()] == [Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize("format", RESPONSE)
def test_a_response_that_is_handed_in_twice_is_recorded_once(session: clew.Session, format: str) -> None:
    first = session.reply(RESPONSE[format], format=format)
    assert session.reply(RESPONSE[format], format=format) == first
    assert len(session.messages()) == 2


@pytest.mark.parametrize(
    "empty",
    [
        ("anthropic", ANTHROPIC | {"content": []}),
        ("openai-chat", {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": []}}]}),
        ("openai-responses", RESPONSES | {"output": []}),
        ("gemini", {"candidates": [{"finishReason": "SAFETY"}]}),
    ],
    ids=lambda given: given[0],
)
def test_an_empty_reply_is_recorded_as_one(session: clew.Session, empty: tuple[str, Json]) -> None:
    assert session.reply(empty[1], format=empty[0]).content == ""
    assert session.messages()[-1].role is Role.ASSISTANT
    assert session.reader.request(empty[0])[1] == ()


@pytest.mark.parametrize(
    "garbage", [7, None, b"x", [], {}, {"a": 1}, [7], {"tools": []}, {"choices": [None]}, object()]
)
@pytest.mark.parametrize("format", [*RESPONSE, None])
def test_garbage_is_refused_and_nothing_recorded(session: clew.Session, format: str | None, garbage: Any) -> None:
    with pytest.raises(UsageError):
        session.reply(garbage, format=format)
    assert len(session.messages()) == 1


def test_what_somebody_else_said_is_no_reply(session: clew.Session) -> None:
    with pytest.raises(UsageError, match="no message of the assistant but user"):
        session.reply({"role": "user", "content": "Well?"}, format="anthropic")
    assert len(session.messages()) == 1


@pytest.mark.parametrize("format", RESPONSE)
def test_record_takes_a_whole_response_too(session: clew.Session, format: str) -> None:
    assert session.record([RESPONSE[format]]).ids == ("m2",)


def test_a_record_that_is_none_of_the_named_file_format_is_told_what_that_wants(engine: Engine) -> None:
    with pytest.raises(UsageError, match="give records as cline has them, or import its file"):
        engine.session("s").record([{"say": "nothing"}], format="cline")


def test_a_role_that_nobody_has_is_named(engine: Engine) -> None:
    with pytest.raises(UsageError, match="with role 'boss', content; no message known here is like it"):
        engine.session("s").record([{"role": "boss", "content": "Hello."}])
