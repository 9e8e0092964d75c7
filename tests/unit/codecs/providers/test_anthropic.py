"""The Messages API: what is read and what is written."""

from __future__ import annotations

from clew.domain import (
    Origin,
    Output,
    Text,
)
from tests.builders import call, gives, says, user
from tests.codec_examples.providers import (
    CONVERSATION,
    encode_lossless,
    read_message,
)


def test_reminders_of_the_client_are_not_the_words_of_a_person() -> None:
    reminder = "<system-reminder>\nUse the todo list.\n</system-reminder>"
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
    assert read_message("anthropic", {"role": "user", "content": reminder}).origin is Origin.CLIENT
    mixed = [result, {"type": "text", "text": reminder}]
    assert read_message("anthropic", {"role": "user", "content": mixed}).origin is Origin.TOOL
    assert (
        read_message("anthropic", {"role": "user", "content": [result, {"type": "text", "text": "go on"}]}).origin
        is Origin.PERSON
    )


def test_the_conversation_for_anthropic() -> None:
    assert encode_lossless("anthropic", CONVERSATION) == {
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Read both."}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Reading."},
                    {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
                    {"type": "tool_use", "id": "b", "name": "read", "input": {"path": "y"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "b", "content": "Y"},
                    {"type": "tool_result", "tool_use_id": "a", "content": "gone", "is_error": True},
                ],
            },
            {"role": "user", "content": [{"type": "text", "text": "And?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "One is gone."}]},
        ],
    }


def test_blank_texts_do_not_cross_to_those_who_refuse_them() -> None:
    body = encode_lossless(
        "anthropic", [user("Go."), says("", call("a")), gives(Output(call_id="a", content=(Text(text=" "),)))]
    )
    assert body["messages"][1]["content"] == [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]
    assert body["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "a", "content": " "}]
