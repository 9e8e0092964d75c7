"""What models and tools say to each other is any JSON, and comes out as it went in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.codecs import registry
from clew.parts import Call, Output, Text
from tests.effort import examples

words = st.text(st.characters(codec="utf-8"), max_size=6)
numbers = st.one_of(
    st.integers(), st.integers(-(10**400), 10**400), st.just(10**400), st.floats(allow_nan=False, allow_infinity=False)
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=8,
)
#: Names that mean something elsewhere in a message, as members of a tool's own data.
names = st.one_of(
    words, st.sampled_from(["parsed", "parsed_output", "content", "type", "role", "response", "metadata", "id", "text"])
)
objects = st.dictionaries(names, json_values, max_size=4)


def conversation(format: str, arguments: dict[str, Any], result: dict[str, Any]) -> list[Any]:
    """A call and its result as the provider's client has them."""
    written, text = json.dumps(arguments), json.dumps(result)
    match format:
        case "anthropic":
            call: Any = {"type": "tool_use", "id": "c1", "name": "f", "input": arguments}
            output: Any = {"type": "tool_result", "tool_use_id": "c1", "content": text}
            return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [output]}]
        case "openai-chat":
            call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": written}}
            output = {"role": "tool", "tool_call_id": "c1", "content": text}
            return [{"role": "assistant", "content": None, "tool_calls": [call]}, output]
        case "openai-responses":
            call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": written}
            return [call, {"type": "function_call_output", "call_id": "c1", "output": text}]
        case "gemini":
            call = {"functionCall": {"name": "f", "args": arguments}}
            output = {"functionResponse": {"name": "f", "response": {"data": result, "more": None}}}
            return [{"role": "model", "parts": [call]}, {"role": "user", "parts": [output]}]
    call, output = Call(id="c1", name="f", arguments=arguments), Output(call_id="c1", content=(Text(text=text),))
    return [clew.assistant(call), clew.user(output)]


def sent(body: dict[str, Any], format: str) -> tuple[Any, str]:
    """The arguments of the first call in a request, and the text of what answers it."""
    match format:
        case "anthropic":
            _, call, output, *_ = body["messages"]
            return call["content"][0]["input"], output["content"][0]["content"]
        case "openai-chat":
            _, call, output, *_ = body["messages"]
            return json.loads(call["tool_calls"][0]["function"]["arguments"]), output["content"]
        case "openai-responses":
            _, call, output, *_ = body["input"]
            return json.loads(call["arguments"]), output["output"]
    _, call, output, *_ = body["contents"]
    response = output["parts"][0]["functionResponse"]["response"]
    return call["parts"][0]["functionCall"]["args"], response.get("output", json.dumps(response))


@pytest.mark.parametrize("format", [*registry.PROVIDERS, "clew"])
@given(arguments=objects, result=objects)
@settings(max_examples=examples(30), deadline=None)
def test_arguments_and_results_come_out_as_they_went_in(
    format: str, arguments: dict[str, Any], result: dict[str, Any]
) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record(clew.user("q"))
        session.record(conversation(format, arguments, result))
        for provider in registry.PROVIDERS:
            called, answered = sent(session.reader.request(provider)[0].body, provider)
            assert called == arguments
            found = json.loads(answered)
            assert (found if format != "gemini" else found["data"]) == result
        assert session.pack("go on", budget=50_000).tokens
