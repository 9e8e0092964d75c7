"""The Gemini API: what is read and what is written."""

from __future__ import annotations

from dataclasses import replace

from clew.codecs import registry
from clew.codecs.providers.gemini_parts import read_message
from clew.domain import Call, Output, Part, Reasoning, Status, Text
from clew.packing.valid_request import encode_valid
from tests.builders import call, gives, output, says, user
from tests.codec_examples.providers import (
    CONVERSATION,
    GEMINI,
    decoded,
    encode_lossless,
)


def test_gemini_calls_without_ids_pair_with_their_responses_by_name_and_order() -> None:
    messages, _ = decoded(registry.codec("gemini"), GEMINI)
    ids = [one.id for one in messages[3].calls]
    assert ids == [one.call_id for one in messages[4].outputs]
    assert len(set(ids)) == 3
    assert [(one.text, one.status) for one in messages[4].outputs] == [
        ("a cat", Status.SUCCESS),
        ("blurred", Status.FAILED),
        ('{"hour":12,"minute":5}', Status.SUCCESS),
    ]


def test_gemini_signatures_without_words_are_sent_back() -> None:
    parts = [{"text": "Hello"}, {"text": "", "thoughtSignature": "c2ln"}]
    message = read_message({"role": "model", "parts": parts})
    assert [type(part) for part in message.parts] == [Text, Reasoning]
    request, _, repairs = encode_valid([user("q"), message, user("q2")], "gemini")
    assert (request.body["contents"][1]["parts"], repairs) == (parts, ())
    other, _, _ = encode_valid([user("q"), message, user("q2")], "openai-chat")
    assert other.body["messages"][1] == {"role": "assistant", "content": "Hello"}


def test_gemini_parts_renamed_since_are_sent_as_they_came() -> None:
    messages, _ = decoded(registry.codec("gemini"), GEMINI)

    def renamed(part: Part) -> Part:
        if isinstance(part, Call) and part.id != "id-3":
            return replace(part, id=f"{part.id}-2")
        return (
            replace(part, call_id=f"{part.call_id}-2") if isinstance(part, Output) and part.call_id != "id-3" else part
        )

    later = [replace(message, parts=tuple(map(renamed, message.parts))) for message in messages]
    assert registry.encoder("gemini").encode(later).body["contents"] == GEMINI["contents"]


def test_the_conversation_for_gemini_has_responses_in_the_order_of_the_calls() -> None:
    assert encode_lossless("gemini", CONVERSATION) == {
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


def test_equal_calls_of_one_function_keep_their_outputs_through_a_format_without_ids() -> None:
    history = [says(call("a", n=1), call("b", n=2)), gives(output("b", "two"), output("a", "one"))]
    messages, _ = decoded(registry.codec("gemini"), encode_lossless("gemini", history))
    said = {one.call_id: one.text for one in messages[1].outputs}
    assert [(one.arguments["n"], said[one.id]) for one in messages[0].calls] == [(1, "one"), (2, "two")]


def test_ids_used_again_later_do_not_disturb_earlier_turns() -> None:
    turn = [says(call("a", n=1), call("b", n=2)), gives(output("a", "one"), output("b", "two"))]
    again = [says(call("b", n=3)), gives(output("b", "three")), says(call("a", n=4)), gives(output("a", "four"))]
    contents = encode_lossless("gemini", turn + again)["contents"]
    said = [part["functionResponse"]["response"]["output"] for one in contents[1::2] for part in one["parts"]]
    assert said == ["one", "two", "three", "four"]
