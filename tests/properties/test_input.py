"""Whatever a caller hands in is recorded, or refused in words of ours: never another error, never half of it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew import rules
from clew.codecs import registry
from clew.errors import ClewError
from tests.effort import examples
from tests.properties.strategies import messages

leaves = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3))
WORDS = (
    "user assistant system tool model developer function human ai text message response request thinking tool_use "
    "tool_result function_call function_call_output reasoning output_text input_text image image_url tool-call "
    "tool-return user-prompt text c1 look {} "
)
NAMES = (
    "role content type text parts kind part_kind id call_id name input arguments args tool_calls tool_call_id output "
    "choices candidates message finish_reason stop_reason usage functionCall functionResponse function_call response "
    "tool_use_id summary image_url source additional_kwargs data lc kwargs tool_name instructions system tools uuid "
    "prompt_tokens input_tokens usage_metadata usageMetadata function refusal annotations status timestamp thought"
)
known = st.sampled_from(WORDS.split())
values = st.recursive(
    st.one_of(known, leaves),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=6)
    ),
    max_leaves=12,
)
#: Objects that look like messages of some format, with garbage in their fields.
likely = st.one_of(
    st.fixed_dictionaries({"role": known, "content": values}),
    st.fixed_dictionaries({"role": known, "parts": values}),
    st.fixed_dictionaries({"type": known, "content": values}),
    st.fixed_dictionaries({"kind": st.sampled_from(["request", "response"]), "parts": st.lists(values, max_size=3)}),
    st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": values}), max_size=2)}),
    st.fixed_dictionaries({"output": st.lists(values, max_size=3)}),
    st.fixed_dictionaries({"candidates": st.lists(st.fixed_dictionaries({"content": values}), max_size=2)}),
    st.dictionaries(st.sampled_from(NAMES.split()), values, max_size=6),
    messages,
)
garbage = st.one_of(values, likely, st.lists(st.one_of(likely, values), max_size=4))


@given(garbage, st.one_of(st.none(), st.sampled_from(registry.FORMATS)))
@settings(max_examples=examples(200), deadline=None)
def test_anything_is_recorded_or_refused(value: Any, format: str | None) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        try:
            session.record(value, format=format)
        except ClewError:
            assert session.info.entries == 0
        with suppress(ClewError):
            session.reply(value, format=format)
        for provider in registry.PROVIDERS:
            assert rules.check(session.reader.request(provider)[0].body, provider) == []


@given(values, values, st.one_of(st.none(), st.sampled_from(registry.PROVIDERS)))
@settings(max_examples=examples(150), deadline=None)
def test_any_system_prompt_and_tools_are_recorded_or_refused(system: Any, tools: Any, format: str | None) -> None:
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        try:
            session.record(clew.user("q"), system=system, tools=tools, format=format)
        except ClewError:
            assert session.info.entries == 0
        for provider in registry.PROVIDERS:
            session.reader.request(provider)
