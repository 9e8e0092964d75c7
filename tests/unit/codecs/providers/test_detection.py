"""Files of API conversations are known by what stands at their beginning, whatever shape they have."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.codecs import registry
from clew.codecs.providers.detection import format_of_message, looks_like
from clew.codecs.sources import HEAD_BYTES
from tests.codec_examples.file_reader import jsonl
from tests.codec_examples.providers import EXAMPLES, FORMATS, LISTS, file_shapes


def claims(data: bytes) -> list[str]:
    return [format for format in FORMATS if registry.codec(format).sniff(data)]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", list(file_shapes("anthropic")))
def test_a_format_is_known_in_every_shape(format: str, shape: str) -> None:
    assert claims(file_shapes(format)[shape]) == [format]


@pytest.mark.parametrize("format", FORMATS)
def test_a_format_is_known_when_the_head_ends_within_a_long_text(format: str) -> None:
    body = EXAMPLES[format]
    items = [*body[LISTS[format]], {"role": "user", "content": "é\\" * HEAD_BYTES}]
    for data in (items, {LISTS[format]: items}):
        assert claims(json.dumps(data).encode()[:HEAD_BYTES]) == [format]


def test_a_long_first_message_is_enough_to_know_a_request() -> None:
    long = "x" * (2 * HEAD_BYTES)
    assert claims(json.dumps({"messages": [{"content": long, "role": "system"}]}).encode()) == ["openai-chat"]
    assert claims(json.dumps({"system": "s", "messages": [{"role": "user", "content": long}]}).encode()) == [
        "anthropic"
    ]
    assert claims(json.dumps({"contents": [{"parts": [{"text": long}]}]}).encode()) == ["gemini"]
    assert claims(json.dumps({"model": "m", "input": long}).encode()) == ["openai-responses"]


def test_plain_texts_are_taken_for_chat_unless_a_system_prompt_stands_beside_them() -> None:
    talk = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    assert claims(json.dumps(talk).encode()) == ["openai-chat"]
    assert claims(json.dumps({"messages": talk}).encode()) == ["openai-chat"]
    assert claims(json.dumps({"system": "s", "messages": talk}).encode()) == ["anthropic"]
    assert claims(json.dumps({"messages": [{"role": "system", "content": "s"}, *talk]}).encode()) == ["openai-chat"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"# a heading",
        b"[]",
        b"{}",
        b"[1, 2]",
        b'{"input": "a", "output": "b"}\n{"input": "c", "output": "d"}',
        jsonl({"type": "user", "message": {"role": "user", "content": "hi"}, "sessionId": "s", "uuid": "u"}),
        jsonl({"timestamp": "t", "type": "session_meta", "payload": {"id": "i"}}),
        jsonl({"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user"}}),
        jsonl({"type": "user.message", "data": {"content": "hi"}, "id": "i", "parentId": None}),
        json.dumps(
            {"info": {"id": "s"}, "messages": [{"info": {"role": "user"}, "parts": [{"type": "text"}]}]}
        ).encode(),
        json.dumps({"sessionId": "s", "messages": [{"id": "1", "type": "user", "content": "hi"}]}).encode(),
        json.dumps({"version": 3, "requests": [{"message": {"text": "hi"}}]}).encode(),
        json.dumps([{"role": ["user"], "content": "hi"}, {"role": {"a": 1}}]).encode(),
    ],
)
def test_other_files_are_not_claimed(data: bytes) -> None:
    assert claims(data) == []


SIGNS: dict[str, tuple[dict[str, Any], str]] = {
    "a tool of Gemini": ({"role": "tool", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}, "gemini"),
    "a tool of Chat": ({"role": "tool", "tool_call_id": "c", "content": "x"}, "openai-chat"),
    "a picture in Chat": (
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
        "openai-chat",
    ),
    "in Anthropic": (
        {"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]},
        "anthropic",
    ),
    "a piece of Responses": ({"role": "user", "content": [{"type": "input_text", "text": "x"}]}, "openai-responses"),
}


@pytest.mark.parametrize("name", SIGNS)
def test_a_sign_means_the_same_in_a_message_and_in_a_file(name: str) -> None:
    message, format = SIGNS[name]
    assert format_of_message(message) == format
    assert looks_like(format, json.dumps([{"role": "user", "content": "q"}, message]).encode())


def test_a_content_without_a_role_is_of_gemini() -> None:
    assert format_of_message({"parts": [{"text": "q"}]}) == "gemini"
    assert format_of_message({"parts": [{"type": "text", "text": "q"}]}) is None
