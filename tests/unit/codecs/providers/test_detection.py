"""Files of API conversations are known by what stands at their beginning, whatever shape they have."""

from __future__ import annotations

import json

import pytest

from clew.codecs import registry
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
