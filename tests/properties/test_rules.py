"""Sound requests break no rule, repairs are repeatable, and nothing that can be sent makes a rule fail."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.rules import PROVIDERS, check, repair
from tests.effort import examples

WORDS = st.sampled_from(["go", "on", "read it", "ünïcode 😀", "x" * 50])
PREFIXES = st.sampled_from(["toolu_", "call-", "Z"])
#: One entry is a step: how many calls it makes, and whether words come before them.
STEPS = st.lists(st.tuples(st.integers(1, 3), st.booleans()), max_size=3)
EXCHANGES = st.lists(st.tuples(WORDS, STEPS, st.booleans()), min_size=1, max_size=4)


# ── sound requests, by provider ──────────────────────────────────────────────────────────────────────


@st.composite
def anthropic(draw):
    thinks, prefix, number = draw(st.booleans()), draw(PREFIXES), 0
    messages = []
    for words, steps, answers in draw(EXCHANGES):
        messages.append({"role": "user", "content": draw(st.sampled_from([words, [{"type": "text", "text": words}]]))})
        for count, speaks in steps:
            ids = [f"{prefix}{number + i}" for i in range(count)]
            number += count
            thought = [{"type": "thinking", "thinking": words, "signature": f"s{number}"}] if thinks else []
            spoken = [{"type": "text", "text": "so"}] if speaks else []
            calls = [{"type": "tool_use", "id": id, "name": "read", "input": {}} for id in ids]
            results = [{"type": "tool_result", "tool_use_id": id, "content": ""} for id in draw(st.permutations(ids))]
            messages.append({"role": "assistant", "content": [*thought, *spoken, *calls]})
            messages.append({"role": "user", "content": [*results, *spoken]})
        if answers:
            messages.append({"role": "assistant", "content": "done"})
    mode = draw(st.sampled_from([{}, {"thinking": {"type": "adaptive" if thinks else "disabled"}}]))
    return {"messages": messages, "system": "be kind", **mode}


@st.composite
def openai_chat(draw):
    prefix, number = draw(PREFIXES), 0
    messages = [{"role": "system", "content": "be kind"}]
    for words, steps, answers in draw(EXCHANGES):
        messages.append({"role": "user", "content": words})
        for count, speaks in steps:
            ids = [f"{prefix}{number + i}" for i in range(count)]
            number += count
            calls = [{"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}} for id in ids]
            messages.append({"role": "assistant", "content": "so" if speaks else None, "tool_calls": calls})
            messages += [{"role": "tool", "tool_call_id": id, "content": ""} for id in draw(st.permutations(ids))]
        if answers:
            messages.append({"role": "assistant", "content": "done"})
    return {"messages": messages}


@st.composite
def openai_responses(draw):
    prefix, number = draw(PREFIXES), 0
    items = []
    for words, steps, answers in draw(EXCHANGES):
        items.append({"role": "user", "content": words})
        for count, thinks in steps:
            ids = [f"{prefix}{number + i}" for i in range(count)]
            number += count
            if thinks:
                items.append({"type": "reasoning", "id": f"rs_{len(items)}", "summary": [], "encrypted_content": "x"})
            items += [
                {"type": "function_call", "id": f"fc_{id}", "call_id": id, "name": "r", "arguments": ""} for id in ids
            ]
            items += [
                {"type": "function_call_output", "call_id": id, "output": ""} for id in draw(st.permutations(ids))
            ]
        if answers:
            items.append({"type": "message", "role": "assistant", "id": f"msg_{len(items)}", "content": []})
    return {"input": items, "instructions": "be kind", "store": draw(st.booleans())}


@st.composite
def gemini(draw):
    contents = []
    number = 0
    for words, steps, answers in draw(EXCHANGES):
        contents.append({"role": "user", "parts": [{"text": words}]})
        for count, speaks in steps:
            calls = [{"functionCall": {"name": f"f{number + i}", "args": {}}} for i in range(count)]
            calls[0]["thoughtSignature"] = f"s{number}"
            responses = [{"functionResponse": {"name": f"f{number + i}", "response": {}}} for i in range(count)]
            number += count
            contents.append({"role": "model", "parts": [*([{"text": "so"}] if speaks else []), *calls]})
            contents.append({"role": "user", "parts": responses})
        if answers:
            contents.append({"role": "model", "parts": [{"text": "done"}]})
    return {"contents": contents}


SOUND = st.one_of(
    st.tuples(st.just(name), make())
    for name, make in {
        "anthropic": anthropic,
        "openai-chat": openai_chat,
        "openai-responses": openai_responses,
        "gemini": gemini,
    }.items()
)
LISTS = {"anthropic": "messages", "openai-chat": "messages", "openai-responses": "input", "gemini": "contents"}


@settings(deadline=None)
@given(SOUND)
def test_a_sound_request_breaks_no_rule_and_is_left_alone(made):
    provider, request = made
    assert check(request, provider) == []
    after, repairs = repair(request, provider)
    assert after is request
    assert repairs == ()


@settings(deadline=None)
@given(SOUND, st.integers(0, 20))
def test_a_request_that_only_grew_breaks_no_rule_that_compares(made, shorter):
    provider, request = made
    name = LISTS[provider]
    previous = request | {name: request[name][:shorter]}
    assert check(request, provider, previous=previous) == []


# ── requests broken in every way that a repair is for ────────────────────────────────────────────────

MARK = {"cache_control": {"type": "ephemeral"}}
HOUR = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}


def _spoil_ids(message):
    for block in message["content"] if isinstance(message["content"], list) else []:
        for name in ("id", "tool_use_id"):
            if name in block:
                block[name] = block[name].replace("1", ":").replace("2", ".")


def _spoil_order(message):
    if message["role"] == "user" and isinstance(message["content"], list):
        message["content"].reverse()


def _spoil_texts(message):
    if isinstance(message["content"], list):
        message["content"].append({"type": "text", "text": " "})


def _spoil_characters(message):
    if isinstance(message["content"], str):
        message["content"] += "\ud800"


def _spoil_marks(message):
    for number, block in enumerate(message["content"] if isinstance(message["content"], list) else []):
        block.update(HOUR if number % 2 else MARK)


SPOILS = [_spoil_order, _spoil_texts, _spoil_characters, _spoil_marks]


@settings(deadline=None)
@given(anthropic(), st.lists(st.sampled_from(SPOILS), max_size=4), st.booleans(), st.data())
def test_repairs_make_a_paired_request_sound(request, spoils, spoil_ids, data):
    for spoil in spoils:
        for message in request["messages"]:
            spoil(message)
    for message in request["messages"] if spoil_ids else ():
        _spoil_ids(message)
    for at in data.draw(st.lists(st.integers(0, len(request["messages"])), max_size=3)):
        role, words = data.draw(st.sampled_from([("system", "be brief"), ("system", ""), ("user", " ")]))
        request["messages"].insert(at, {"role": role, "content": words})
    request |= data.draw(
        st.sampled_from([{}, {"thinking": {"type": "enabled"}}, {"max_tokens": 1}, {"thinking": {"type": "disabled"}}])
    )
    before = deepcopy(request)
    after, _ = repair(request, "anthropic")
    assert request == before
    assert {finding.rule for finding in check(after, "anthropic")} <= {"A7"}  # repaired from the history
    assert repair(after, "anthropic") == (after, ())
    assert after.get("thinking") == request.get("thinking")


# ── anything at all ──────────────────────────────────────────────────────────────────────────────────

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", " ", "t1", "t:1", "\ud800", "rs_1", "x" * 41])
)
KINDS = st.sampled_from(
    [
        *("text", "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "image"),
        *("web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "document"),
        *("message", "reasoning", "function_call", "function_call_output", "item_reference", "custom_tool_call"),
    ]
)
ROLES = st.sampled_from(["user", "assistant", "system", "tool", "model", "function"])
NAMES = st.sampled_from(
    [
        *("text", "id", "tool_use_id", "call_id", "content", "thinking", "signature", "cache_control", "source"),
        *("tool_calls", "tool_call_id", "functionCall", "functionResponse", "thoughtSignature", "parts", "name"),
        *("encrypted_content", "reasoning_content", "toolUse", "data", "ttl"),
    ]
)
JUNK = st.recursive(
    SCALARS | st.fixed_dictionaries({}, optional={"type": KINDS, "role": ROLES, "id": SCALARS}),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(NAMES, inner, max_size=4).flatmap(
            lambda made: st.fixed_dictionaries({}, optional={"type": KINDS, "role": ROLES}).map(
                lambda more: made | more
            )
        )
    ),
    max_leaves=25,
)
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(JUNK, max_size=6) | JUNK,
        "input": st.lists(JUNK, max_size=6) | JUNK,
        "contents": st.lists(JUNK, max_size=6) | JUNK,
        "system": JUNK,
        "tools": JUNK,
        "thinking": JUNK,
        "store": st.booleans(),
        "model": SCALARS,
        "max_tokens": st.just(1),
        "cache_control": JUNK,
    },
)
DIALECTS = st.sampled_from(
    [(provider, None) for provider in PROVIDERS] + [("openai-chat", "mistral")] * 2
) | st.sampled_from([("openai-chat", "deepseek"), ("anthropic", "bedrock")])


@settings(max_examples=examples(150), deadline=None)
@given(REQUESTS, REQUESTS, DIALECTS, st.booleans())
def test_anything_can_be_judged_and_repairs_of_anything_are_repeatable(request, previous, dialect, final):
    provider, name = dialect
    before = deepcopy(request)
    check(request, provider, final=final, previous=previous, dialect=name)
    after, _ = repair(request, provider, final=final, dialect=name)
    assert request == before
    assert repair(after, provider, final=final, dialect=name) == (after, ())
    check(after, provider, final=final, previous=request, dialect=name)
