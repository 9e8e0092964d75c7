"""The Responses API: what is read and what is written."""

from __future__ import annotations

from clew.codecs import registry
from clew.domain import (
    Call,
    Json,
    Opaque,
    Reasoning,
    Text,
)
from tests.builders import gives, output
from tests.codec_examples.providers import (
    CONVERSATION,
    RESPONSES,
    decoded,
    encode_lossless,
    read_message,
    round_trip,
)


def test_a_reply_is_one_message_of_many_items() -> None:
    messages, _ = decoded(registry.codec("openai-responses"), RESPONSES)
    kinds = [type(part) for part in messages[4].parts]
    assert kinds == [Reasoning, Text, Text, Text, Call, Opaque, Opaque, Call, Call]
    assert [one.name for one in messages[4].calls] == ["look", "apply_patch", "local_shell"]


def test_every_call_of_a_responses_request_has_its_output() -> None:
    messages, _ = decoded(registry.codec("openai-responses"), RESPONSES)
    calls = [one.id for message in messages for one in message.calls]
    assert sorted(one.call_id for message in messages for one in message.outputs) == sorted(calls)


def test_input_that_is_one_text_stays_one_text() -> None:
    assert round_trip("openai-responses", {"input": "Hello?"}) == {"input": "Hello?"}


def test_an_output_made_here_answers_in_the_kind_of_its_call() -> None:
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": "x"}
    body = (
        registry.encoder("openai-responses")
        .encode([read_message("openai-responses", item), gives(output("c1", "done"))])
        .body
    )
    assert body["input"] == [item, {"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}]


def test_the_conversation_for_responses() -> None:
    def message(role: str, kind: str, text: str) -> Json:
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    assert encode_lossless("openai-responses", CONVERSATION) == {
        "instructions": "Be brief.",
        "input": [
            message("user", "input_text", "Read both."),
            message("assistant", "output_text", "Reading."),
            {"type": "function_call", "call_id": "a", "name": "read", "arguments": '{"path":"x"}'},
            {"type": "function_call", "call_id": "b", "name": "read", "arguments": '{"path":"y"}'},
            {"type": "function_call_output", "call_id": "b", "output": "Y"},
            {"type": "function_call_output", "call_id": "a", "output": "[failed]\ngone"},
            message("user", "input_text", "And?"),
            message("assistant", "output_text", "One is gone."),
        ],
    }
