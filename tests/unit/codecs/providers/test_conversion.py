"""What crosses from one provider's format to another: ids, arguments, how a call ended."""

from __future__ import annotations

import json

import pytest

from clew.codecs import registry
from clew.codecs.providers.conversion import legal_id
from clew.domain import Call, Status
from tests.builders import call, gives, output, says, user
from tests.codec_examples.providers import FORMATS, decoded, encode_lossless


@pytest.mark.parametrize("format", FORMATS)
def test_how_a_call_ended_is_seen_on_the_other_side(format: str) -> None:
    for status in Status:
        body = encode_lossless(format, [user("Go."), says(call("a")), gives(output("a", "so", status))])
        (found,) = [one for message in decoded(registry.codec(format), body)[0] for one in message.outputs]
        known = status if format != "anthropic" or status is Status.SUCCESS else Status.FAILED
        assert (found.text, found.status) == ("so", known)


@pytest.mark.parametrize(("format", "most"), [("anthropic", 99), ("openai-chat", 40), ("openai-responses", 64)])
def test_ids_are_made_legal_on_both_sides_alike(format: str, most: int) -> None:
    odd = ["tool call 1", "tool.call.1", "x" * 65, "x" * 66, "ü", ""]
    history = [says(*(call(id) for id in odd)), gives(*(output(id) for id in odd))]
    messages, _ = decoded(registry.codec(format), encode_lossless(format, history))
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
    body = encode_lossless("anthropic", [message, gives(output("not legal"))])
    assert body["messages"][0] == item
    assert body["messages"][1]["content"][0]["tool_use_id"] == "not legal"


@pytest.mark.parametrize("format", ["anthropic", "openai-chat", "openai-responses", "gemini"])
def test_free_text_arguments_cross_as_an_object(format: str) -> None:
    patch = Call(id="c", name="patch", arguments="*** Begin")
    messages, _ = decoded(registry.codec(format), encode_lossless(format, [says(patch), gives(output("c"))]))
    assert [one.arguments for one in messages[0].calls] == [{"input": "*** Begin"}]
