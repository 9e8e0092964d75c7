"""A loop goes on with another model: what the first has thought is not sent where it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import clew
from clew.packing.model_switch import is_other_model
from tests.agent_loops.clients import call_options, client, create, output, said_back, tools, user
from tests.effort import first
from tests.provider_replies import Says
from tests.provider_server import provider
from tests.strict_reasoning import upstream
from tests.strict_upstream import MODES, Mode, StrictUpstream, Upstream

PADDING = "words of a file\n" * 40


def _says(step: int) -> Says:
    return Says(tool="look", arguments={"path": f"{step}.py"}, id=f"c{step}")


def _goes_on(session: clew.Session, asked: Upstream, steps: range, budget: int, open_call: str = "") -> str:
    """Packs the output of the call that waits, asks, and records a reply that calls again. Returns its id."""
    mode, format = asked.mode, asked.format
    beside = mode.settings | {"model": mode.model} | ({"max_tokens": 2_000} if format == "anthropic" else {})
    for step in steps:
        how: Any = {"kind": "tool_response", "tool_id": open_call} if open_call else {}
        about: Any = {"budget": budget, "target": format, "model": mode.model}
        pack = session.pack(f"{step} {PADDING}", thinking=mode.settings.get("thinking", {}), **about, **how)
        said = asked.answer(pack.request() | beside, lambda _, step=step: _says(step))
        open_call = session.reply(asked.reply(said), format=format).calls[0].id
    return open_call


@pytest.mark.parametrize("budget", first([3_500, 40_000]))
@pytest.mark.parametrize(
    ("asked", "model"),
    [
        (StrictUpstream(MODES[0]), "claude-sonnet-4-5"),
        (StrictUpstream(MODES[3]), "claude-opus-5"),
        (upstream("responses, sealed"), "gpt-5-mini"),
        (upstream("responses, stored"), "gpt-5-mini"),
        (upstream("gemini"), "gemini-3-flash"),
    ],
    ids=["enabled", "adaptive", "responses", "responses, stored", "gemini"],
)
def test_another_model_of_the_same_provider_goes_on_with_a_loop(asked: Upstream, model: str, budget: int) -> None:
    _changes(asked, replace(asked.mode, model=model), budget)


@pytest.mark.parametrize("budget", [3_500, 40_000])
def test_thinking_is_turned_off_and_on_in_a_loop(budget: int) -> None:
    _changes(StrictUpstream(MODES[0]), MODES[-1], budget)


def _changes(asked: Upstream, other: Mode, budget: int) -> None:
    first = asked.mode
    with clew.open(":memory:") as engine:
        session = engine.session("s")
        session.record([], format=asked.format, system="Be kind.", tools=tools(asked.format))
        waits = _goes_on(session, asked, range(5), budget)
        asked.mode = other
        waits = _goes_on(session, asked, range(5, 9), budget, waits)
        asked.mode = first
        _goes_on(session, asked, range(9, 13), budget, waits)


@pytest.mark.parametrize("budget", [3_500, 40_000])
@pytest.mark.parametrize("mode", [MODES[0], MODES[3]], ids=str)
def test_another_provider_goes_on_with_a_loop(mode: Any, budget: int) -> None:
    claude = StrictUpstream(mode)
    order = [claude, upstream("responses, sealed"), upstream("gemini"), claude]
    with clew.open(":memory:") as engine:
        session, waits = engine.session("s"), ""
        session.record([], format="anthropic", system="Be kind.", tools=tools("anthropic"))
        for turn, asked in enumerate(order):
            waits = _goes_on(session, asked, range(4 * turn, 4 * turn + 4), budget, waits)


def test_deepseek_goes_on_with_a_loop_of_another_model_through_a_wrapped_client() -> None:
    """It misses reasoning in every reply of an exchange with tools; OpenAI's own models may refuse it."""
    thinks, plain = upstream("deepseek"), upstream("deepseek, off")
    plain.mode = replace(plain.mode, model="gpt-4o", settings={})
    with clew.open(":memory:") as engine:
        session, messages = engine.session("s"), [user("Look at every file.")]
        for step in range(9):
            asked = thinks if 3 <= step < 6 else plain
            with provider(asked.script(lambda _, step=step: _says(step))) as served:
                wrapped = clew.wrap(client("openai-chat", served, max_retries=0), session=session, budget=40_000)
                answer = create(wrapped, "openai-chat", messages, tools=tools("openai-chat"), **call_options(asked))
            messages += [*said_back("openai-chat", answer), output("openai-chat", f"c{step}", f"{step} {PADDING}")]
            replies = [one for one in served.requests[-1]["messages"] if one["role"] == "assistant"]
            assert asked is thinks or not any("reasoning_content" in one for one in replies)
    assert (thinks.refused, plain.refused) == ([], [])


SAME = (
    ("claude-opus-4-5", "claude-opus-4-5-20251101"),
    ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
    ("anthropic/claude-4.5-sonnet-20250929", "anthropic/claude-sonnet-4.5"),
    ("claude-sonnet-4-0", "claude-sonnet-4-20250514"),
    ("gpt-5", "gpt-5-2025-08-07"),
    ("models/gemini-3-pro-preview", "gemini-3-pro"),
    ("fast-alias", "claude-opus-4-5"),
)
OTHERS = (("claude-opus-4-5", "claude-opus-4-6"), ("gpt-5", "gpt-5-mini"), ("claude-opus-4-5", "gpt-5"))


def test_names_of_one_model_are_told_from_those_of_two() -> None:
    assert [pair for pair in SAME if is_other_model(*pair)] == []
    assert [pair for pair in OTHERS if not is_other_model(*pair)] == []
