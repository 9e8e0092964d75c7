"""A request mangled in any way is repaired into one that breaks no rule, and repairing it again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew import rules
from clew.codecs import jsonio, registry
from clew.domain import Message
from clew.packing.own_request import repair_own_request
from clew.packing.valid_request import encode_valid
from tests.effort import examples
from tests.properties.test_rules import anthropic, gemini, openai_chat, openai_responses

SOUND: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}
#: Members that are set to something odd, taken away or doubled, wherever they stand.
MEMBERS = (
    *("role", "content", "type", "text", "id", "name", "input", "tool_use_id", "tool_calls", "tool_call_id"),
    *("function", "arguments", "call_id", "output", "parts", "functionCall", "functionResponse", "args", "response"),
)
ODD = st.sampled_from(
    [
        *(None, "", " ", [], {}, 5, "x", "tool", "ai", "system", "web.search", "9 lives", "n" * 130, ["x"]),
        *([{"type": "hologram"}], {"type": "text", "text": "hi"}, [{"text": ""}], [None], "\ud800"),
    ]
)
INSERTED = st.sampled_from(
    [
        *(None, "words", 7, {}, {"role": "user", "content": "hi"}, {"role": "wizard", "content": "poof"}),
        *({"type": "hologram", "of": 1}, {"role": "assistant", "content": "", "tool_calls": []}, {"parts": []}),
        {"role": "model", "parts": [{"text": "hi"}]},
    ]
)
TOOLS = {
    "anthropic": [{"name": "web.search", "input_schema": {"type": "object"}}],
    "openai-chat": [{"type": "function", "function": {"name": "web.search", "parameters": {"type": "object"}}}],
    "openai-responses": [{"type": "function", "name": "web.search", "parameters": {"type": "object"}}],
    "gemini": [{"functionDeclarations": [{"name": "2 search"}]}],
}


def objects_in(value: Any) -> list[dict[str, Any]]:
    """Every object of a request, the outer ones first."""
    if isinstance(value, list):
        return [found for one in value for found in objects_in(one)]
    return [value, *objects_in(list(value.values()))] if isinstance(value, dict) else []


def mangle(data: st.DataObject, messages: list[Any]) -> None:
    """Breaks one thing: a member somewhere, or the order and number of the messages."""
    places = [(one, name) for one in objects_in(messages) for name in MEMBERS if name in one]
    way = data.draw(st.sampled_from(["set", "take", "insert", "drop", "double", "turn"]))
    if way in ("set", "take") and places:
        one, name = data.draw(st.sampled_from(places))
        if way == "set":
            one[name] = deepcopy(data.draw(ODD))
        else:
            del one[name]
        return
    at = data.draw(st.integers(0, len(messages)))
    if way == "drop" and at < len(messages):
        del messages[at]
    elif way == "double" and at < len(messages):
        messages.insert(at, deepcopy(messages[at]))
    elif way == "turn":
        messages[at:] = reversed(messages[at:])
    else:
        messages.insert(at, deepcopy(data.draw(INSERTED)))


def mangled(data: st.DataObject, provider: str) -> dict[str, Any]:
    request = deepcopy(data.draw(SOUND[provider]()))
    messages = request[registry.MESSAGE_LISTS[provider]]
    for _ in range(data.draw(st.integers(1, 4))):
        mangle(data, messages)
    return request | data.draw(st.sampled_from([{}, {"tools": TOOLS[provider]}, {"tools": []}, {"model": "m"}]))


@pytest.mark.parametrize("provider", SOUND)
@given(st.data())
@settings(max_examples=examples(120), deadline=None)
def test_a_mangled_request_is_repaired_once_and_for_all(provider: str, data: st.DataObject) -> None:
    request = mangled(data, provider)
    final = data.draw(st.booleans())
    before = deepcopy(request)
    after, repairs = repair_own_request(request, provider, final=final)
    assert request == before
    assert rules.check(after, provider, final=final) == []
    assert repair_own_request(after, provider, final=final) == (after, ())
    assert repairs or after is request
    assert after.get("model") == request.get("model")


@pytest.mark.parametrize("provider", SOUND)
@given(st.data())
@settings(max_examples=examples(120), deadline=None)
def test_what_could_be_read_of_it_is_packed_for_every_provider_alike(provider: str, data: st.DataObject) -> None:
    request = mangled(data, provider)
    messages = list(readable(request[registry.MESSAGE_LISTS[provider]], provider))
    for target in SOUND:
        body = encode_valid(messages, target)[0].body
        assert rules.check(body, target) == []
        assert rules.repair(body, target) == (body, ())
        json.dumps(body)


def readable(messages: list[Any], provider: str) -> list[Message]:
    """The messages as an import reads them: what cannot be read is not there."""
    found = []
    for message in messages:
        try:
            found.append(registry.codec(provider).read(jsonio.dumps(message)).message)
        except ValueError:
            continue
    return [message for message in found if message is not None and message.parts]
