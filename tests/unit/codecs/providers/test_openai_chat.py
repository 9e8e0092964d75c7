"""Chat Completions: what is read and what is written."""

from __future__ import annotations

import json

from clew.codecs import registry
from clew.domain import (
    Json,
    Status,
)
from tests.builders import call, output, says, user
from tests.codec_examples.providers import (
    CHAT,
    CONVERSATION,
    decoded,
    encode_lossless,
    read_message,
    without_wires,
)


def test_arguments_are_decoded_where_they_are_an_object() -> None:
    message = decoded(registry.codec("openai-chat"), CHAT)[0][2]
    assert [(one.id, one.arguments) for one in message.calls] == [
        ("call_1", {"at": [1, 2.5]}),
        ("call_2", "not json"),
        ("call_3", "*** Begin"),
        ("call_4", {}),
    ]


def test_a_line_that_says_how_a_tool_ended_becomes_its_status() -> None:
    message = read_message("openai-chat", {"role": "tool", "tool_call_id": "c", "content": "[timeout]\nafter 9 s"})
    assert without_wires(message.parts) == (output("c", "after 9 s", Status.TIMEOUT),)


def test_the_conversation_for_chat() -> None:
    def function(id: str, path: str) -> Json:
        return {
            "id": id,
            "type": "function",
            "function": {"name": "read", "arguments": json.dumps({"path": path}, separators=(",", ":"))},
        }

    assert encode_lossless("openai-chat", CONVERSATION) == {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Read both."},
            {"role": "assistant", "content": "Reading.", "tool_calls": [function("a", "x"), function("b", "y")]},
            {"role": "tool", "tool_call_id": "b", "content": "Y"},
            {"role": "tool", "tool_call_id": "a", "content": "[failed]\ngone"},
            {"role": "user", "content": "And?"},
            {"role": "assistant", "content": "One is gone."},
        ]
    }


def test_outputs_and_words_in_one_message_become_tool_messages_and_a_user_message() -> None:
    body = encode_lossless("openai-chat", [says(call("a")), user(output("a", "ok"), "Go on.")])
    assert body["messages"][1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
        {"role": "user", "content": "Go on."},
    ]
