"""Decoding then encoding gives the same JSON, and crossing formats keeps texts, calls, arguments and outputs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.codecs import registry
from clew.domain import Json, Message, Text
from clew.history.repair.rules import repair_history
from tests.codec_examples.providers import EXAMPLES, LISTS, decoded
from tests.effort import examples

FORMATS = list(EXAMPLES)

words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
names = st.sampled_from(["read", "bash", "änderung"])
ids = st.sampled_from(["c1", "c2", "tool call", "x" * 70])
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), words
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(words, inner, max_size=2), max_leaves=4
)
objects = st.dictionaries(words, values, max_size=3)
extras = st.dictionaries(st.sampled_from(["x_unknown", "cache", "meta"]), values, max_size=1)


def shaped(known: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[Json]:
    """An object of these fields, with unknown ones beside them now and then."""
    fixed = {name: value if isinstance(value, st.SearchStrategy) else st.just(value) for name, value in known.items()}
    made = st.fixed_dictionaries(fixed, optional=optional or {})
    return st.builds(lambda extra, data: extra | data, extras, made)


unknown = shaped({"type": "from_the_future"}, {"text": words, "content": values})
wrong = shaped(
    {"type": st.sampled_from(["text", "image", "tool_use", "input_text", "image_url"])},
    {"text": values, "source": values},
)

# ── anthropic ────────────────────────────────────────────────────────────────────────────────────────

a_text = shaped({"type": "text", "text": words}, {"citations": values})
a_image = shaped({"type": "image", "source": shaped({"type": "base64", "media_type": "image/png", "data": "aGk="})})
a_call = shaped({"type": "tool_use", "id": ids, "name": names, "input": objects})
a_result = shaped(
    {"type": "tool_result", "tool_use_id": ids},
    {"content": st.one_of(words, st.lists(st.one_of(a_text, a_image, unknown), max_size=2)), "is_error": st.booleans()},
)
a_thinking = shaped({"type": "thinking", "thinking": words, "signature": words})
a_user = shaped(
    {
        "role": "user",
        "content": st.one_of(words, st.lists(st.one_of(a_text, a_image, a_result, unknown, wrong), max_size=4)),
    }
)
a_reply = shaped(
    {
        "role": "assistant",
        "content": st.one_of(words, st.lists(st.one_of(a_text, a_call, a_thinking, unknown), max_size=4)),
    }
)

# ── chat ─────────────────────────────────────────────────────────────────────────────────────────────

c_text = shaped({"type": "text", "text": words})
c_image = shaped({"type": "image_url", "image_url": st.one_of(words, shaped({"url": words}))})
c_content = st.one_of(st.none(), words, st.lists(st.one_of(c_text, c_image, unknown, wrong), max_size=3))
c_function = shaped({"name": names, "arguments": st.one_of(words, objects.map(json.dumps))})
c_call = shaped({"id": ids, "type": "function", "function": c_function})
c_message = st.one_of(
    shaped({"role": st.sampled_from(["user", "system", "developer"]), "content": c_content}),
    shaped(
        {"role": "assistant", "content": c_content},
        {"tool_calls": st.lists(c_call, max_size=2), "reasoning_content": words, "refusal": st.none() | words},
    ),
    shaped({"role": "tool", "tool_call_id": ids, "content": c_content}, {"name": names}),
)

# ── responses ────────────────────────────────────────────────────────────────────────────────────────

r_said = shaped({"type": "output_text", "text": words}, {"annotations": st.just([])})
r_asked = st.one_of(
    shaped({"type": "input_text", "text": words}), shaped({"type": "input_image", "image_url": words}), unknown
)
r_item = st.one_of(
    shaped(
        {"role": st.sampled_from(["user", "developer"]), "content": st.one_of(words, st.lists(r_asked, max_size=3))}
    ),
    shaped(
        {"type": "message", "role": "assistant", "content": st.lists(st.one_of(r_said, unknown, wrong), max_size=3)}
    ),
    shaped({"role": "assistant", "content": words}),
    shaped({"type": "reasoning", "summary": st.lists(shaped({"type": "summary_text", "text": words}), max_size=1)}),
    shaped(
        {"type": "function_call", "call_id": ids, "name": names, "arguments": st.one_of(words, objects.map(json.dumps))}
    ),
    shaped({"type": "function_call_output", "call_id": ids, "output": st.one_of(words, st.lists(r_asked, max_size=2))}),
    shaped({"type": "custom_tool_call", "call_id": ids, "name": names, "input": words}),
    shaped({"type": "custom_tool_call_output", "call_id": ids, "output": words}),
    shaped(
        {"type": st.sampled_from(["web_search_call", "item_reference", "compaction", "future_call"])}, {"id": words}
    ),
)

# ── gemini ───────────────────────────────────────────────────────────────────────────────────────────

g_text = shaped({"text": words}, {"thought": st.booleans(), "thoughtSignature": words})
g_call = shaped({"functionCall": shaped({"name": names}, {"args": objects, "id": ids})}, {"thoughtSignature": words})
g_response = shaped({"functionResponse": shaped({"name": names, "response": objects}, {"id": ids})})
g_media = shaped({"inlineData": shaped({"mimeType": "image/png", "data": "aGk="})})
g_content = st.one_of(
    shaped({"role": "user", "parts": st.lists(st.one_of(g_text, g_media, g_response, wrong), max_size=3)}),
    shaped({"role": "model", "parts": st.lists(st.one_of(g_text, g_call, unknown), max_size=3)}),
)

ITEMS = {
    "anthropic": st.one_of(a_user, a_reply),
    "openai-chat": c_message,
    "openai-responses": r_item,
    "gemini": g_content,
}


@pytest.mark.parametrize("format", FORMATS)
@given(st.data())
@settings(max_examples=examples(100), deadline=None)
def test_what_came_in_a_format_leaves_in_it_as_it_came(format: str, data: st.DataObject) -> None:
    items = data.draw(st.lists(ITEMS[format], max_size=6))
    messages, _ = decoded(registry.codec(format), {LISTS[format]: items})
    request = registry.encoder(format).encode(messages)
    assert (request.body[LISTS[format]], request.losses) == (items, ())


@pytest.mark.parametrize("format", FORMATS)
@given(st.data())
@settings(max_examples=examples(50), deadline=None)
def test_the_same_messages_give_the_same_bytes(format: str, data: st.DataObject) -> None:
    items = data.draw(st.lists(ITEMS[format], max_size=6))
    messages, _ = decoded(registry.codec(format), {LISTS[format]: items})
    for other in FORMATS:
        encoder = registry.encoder(other)
        assert json.dumps(encoder.encode(messages).body) == json.dumps(encoder.encode(list(messages)).body)


def essence(messages: Sequence[Message]) -> tuple[list[str], list[Any], list[Any]]:
    """Texts, calls and outputs, in order; a blank text says nothing, and ids are names for pairs."""
    texts = [part.text for message in messages for part in message.parts_of(Text) if part.text.strip()]
    calls = [call for message in messages for call in message.calls if not call.server]
    outputs = {one.call_id: (one.text, one.status) for message in messages for one in message.outputs}
    return texts, [(call.name, call.arguments) for call in calls], [outputs.get(call.id) for call in calls]


a_plain_result = st.fixed_dictionaries(
    {"text": words.filter(lambda text: not text.startswith("[")), "is_error": st.booleans()}
)
a_step = st.tuples(words, st.lists(st.tuples(names, objects, a_plain_result), max_size=3), words)


def conversation(steps: Sequence[Any]) -> Json:
    """A sound request of the Messages API: a system prompt, then steps with calls and their results."""
    messages: list[Json] = [{"role": "user", "content": "Begin."}]
    for turn, (said, calls, asked) in enumerate(steps):
        uses = [
            {"type": "tool_use", "id": f"toolu_{turn}_{n}", "name": name, "input": given}
            for n, (name, given, _) in enumerate(calls)
        ]
        results = [
            {
                "type": "tool_result",
                "tool_use_id": f"toolu_{turn}_{n}",
                "content": end["text"],
                "is_error": end["is_error"],
            }
            for n, (_, _, end) in enumerate(calls)
        ]
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"{said}."}, *uses]})
        messages.append({"role": "user", "content": [*results, {"type": "text", "text": f"{asked}?"}]})
    return {"system": "Be brief.", "messages": messages}


@pytest.mark.parametrize("format", FORMATS)
@given(steps=st.lists(a_step, max_size=4))
@settings(max_examples=examples(75), deadline=None)
def test_crossing_there_and_back_keeps_texts_calls_arguments_and_outputs(format: str, steps: Sequence[Any]) -> None:
    messages, _ = decoded(registry.codec("anthropic"), conversation(steps))
    there = registry.encoder(format).encode(messages)
    crossed, _ = repair_history(decoded(registry.codec(format), there.body)[0])
    back = registry.encoder("anthropic").encode(crossed)
    again, _ = decoded(registry.codec("anthropic"), back.body)
    assert (there.losses, back.losses) == ((), ())
    assert essence(again) == essence(messages)
