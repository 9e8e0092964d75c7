"""Crossing from one provider's format to another: what each of them writes for the same conversation."""

from __future__ import annotations

import json

import pytest

from clew.codecs import registry
from clew.codecs.crossing import legal_id
from clew.domain import Call, Json, Message, Output, Role, Status, Text, Tool
from tests.builders import call, gives, output, says, user
from tests.unit.codecs.api_examples import EXAMPLES, decoded

FORMATS = list(EXAMPLES)
CONVERSATION = [
    Message(role=Role.SYSTEM, parts=(Text(text="Be brief."),)),
    user("Read both."),
    says("Reading.", call("a", path="x"), call("b", path="y")),
    gives(output("b", "Y")),
    gives(output("a", "gone", Status.FAILED)),
    user("And?"),
    says("One is gone."),
]


def encoded(format: str, messages: list[Message]) -> Json:
    request = registry.encoder(format).encode(messages)
    assert request.losses == ()
    return request.body


def test_the_conversation_for_anthropic() -> None:
    assert encoded("anthropic", CONVERSATION) == {
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


def test_the_conversation_for_chat() -> None:
    def function(id: str, path: str) -> Json:
        return {
            "id": id,
            "type": "function",
            "function": {"name": "read", "arguments": json.dumps({"path": path}, separators=(",", ":"))},
        }

    assert encoded("openai-chat", CONVERSATION) == {
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


def test_the_conversation_for_responses() -> None:
    def message(role: str, kind: str, text: str) -> Json:
        return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}

    assert encoded("openai-responses", CONVERSATION) == {
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


def test_the_conversation_for_gemini_has_responses_in_the_order_of_the_calls() -> None:
    assert encoded("gemini", CONVERSATION) == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "Read both."}]},
            {
                "role": "model",
                "parts": [
                    {"text": "Reading."},
                    {
                        "functionCall": {"name": "read", "args": {"path": "x"}},
                        "thoughtSignature": "skip_thought_signature_validator",
                    },
                    {"functionCall": {"name": "read", "args": {"path": "y"}}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "read", "response": {"error": "gone"}}},
                    {"functionResponse": {"name": "read", "response": {"output": "Y"}}},
                    {"text": "And?"},
                ],
            },
            {"role": "model", "parts": [{"text": "One is gone."}]},
        ],
    }


@pytest.mark.parametrize("format", FORMATS)
def test_how_a_call_ended_is_seen_on_the_other_side(format: str) -> None:
    for status in Status:
        body = encoded(format, [user("Go."), says(call("a")), gives(output("a", "so", status))])
        (found,) = [one for message in decoded(registry.codec(format), body)[0] for one in message.outputs]
        known = status if format != "anthropic" or status is Status.SUCCESS else Status.FAILED
        assert (found.text, found.status) == ("so", known)


def test_outputs_and_words_in_one_message_become_tool_messages_and_a_user_message() -> None:
    body = encoded("openai-chat", [says(call("a")), user(output("a", "ok"), "Go on.")])
    assert body["messages"][1:] == [
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
        {"role": "user", "content": "Go on."},
    ]


@pytest.mark.parametrize(("format", "most"), [("anthropic", 99), ("openai-chat", 40), ("openai-responses", 64)])
def test_ids_are_made_legal_on_both_sides_alike(format: str, most: int) -> None:
    odd = ["tool call 1", "tool.call.1", "x" * 65, "x" * 66, "ü", ""]
    history = [says(*(call(id) for id in odd)), gives(*(output(id) for id in odd))]
    messages, _ = decoded(registry.codec(format), encoded(format, history))
    calls = [one.id for message in messages for one in message.calls]
    assert calls == [one.call_id for message in messages for one in message.outputs]
    assert len(set(calls)) == len(odd)
    assert all(0 < len(id) <= most for id in calls)


def test_a_legal_id_depends_on_nothing_but_the_id() -> None:
    assert legal_id("a b") == "a_b-c8687a08aa5d6ed2"
    assert len(legal_id("x" * 99)) == 40


def test_ids_that_came_in_the_format_stay_also_where_an_output_is_made_here() -> None:
    item = {"role": "assistant", "content": [{"type": "tool_use", "id": "not legal", "name": "f", "input": {}}]}
    message = registry.codec("anthropic").read(json.dumps(item).encode()).message
    assert message is not None
    body = encoded("anthropic", [message, gives(output("not legal"))])
    assert body["messages"][0] == item
    assert body["messages"][1]["content"][0]["tool_use_id"] == "not legal"


@pytest.mark.parametrize("format", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_free_text_arguments_cross_as_an_object(format: str) -> None:
    patch = Call(id="c", name="patch", arguments="*** Begin")
    messages, _ = decoded(registry.codec(format), encoded(format, [says(patch), gives(output("c"))]))
    assert [one.arguments for one in messages[0].calls] == [{"input": "*** Begin"}]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("other", FORMATS)
def test_tools_cross_with_name_description_and_schema(format: str, other: str) -> None:
    schema = {"type": "object", "properties": {"at": {"type": "integer"}}, "required": ["at"]}
    tools = (Tool(name="look", description="Looks.", schema=schema), Tool(name="now"))
    there = registry.encoder(format).encode([], tools=tools)
    _, read = decoded(registry.codec(format), there.body)
    back = registry.encoder(other).encode([], tools=read)
    assert there.losses == back.losses == ()
    _, again = decoded(registry.codec(other), back.body)
    assert [(tool.name, tool.description, tool.schema) for tool in again] == [
        ("look", "Looks.", schema),
        ("now", "", {"type": "object", "properties": {}}),
    ]


def test_gemini_types_are_written_small_elsewhere() -> None:
    _, tools = decoded(registry.codec("gemini"), EXAMPLES["gemini"])
    assert tools[0].schema == {"type": "object", "properties": {"at": {"type": "integer"}}}


def test_equal_calls_of_one_function_keep_their_outputs_through_a_format_without_ids() -> None:
    history = [says(call("a", n=1), call("b", n=2)), gives(output("b", "two"), output("a", "one"))]
    messages, _ = decoded(registry.codec("gemini"), encoded("gemini", history))
    said = {one.call_id: one.text for one in messages[1].outputs}
    assert [(one.arguments["n"], said[one.id]) for one in messages[0].calls] == [(1, "one"), (2, "two")]


def test_ids_used_again_later_do_not_disturb_earlier_turns() -> None:
    turn = [says(call("a", n=1), call("b", n=2)), gives(output("a", "one"), output("b", "two"))]
    again = [says(call("b", n=3)), gives(output("b", "three")), says(call("a", n=4)), gives(output("a", "four"))]
    contents = encoded("gemini", turn + again)["contents"]
    said = [part["functionResponse"]["response"]["output"] for one in contents[1::2] for part in one["parts"]]
    assert said == ["one", "two", "three", "four"]


def test_blank_texts_do_not_cross_to_those_who_refuse_them() -> None:
    body = encoded(
        "anthropic", [user("Go."), says("", call("a")), gives(Output(call_id="a", content=(Text(text=" "),)))]
    )
    assert body["messages"][1]["content"] == [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]
    assert body["messages"][2]["content"] == [{"type": "tool_result", "tool_use_id": "a", "content": " "}]
