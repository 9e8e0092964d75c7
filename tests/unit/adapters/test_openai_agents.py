"""OpenAI Agents SDK: an agent with a scripted model of its own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from clew.engine.engine import Engine
from tests.provider_replies import Says

pytest.importorskip("agents")

from agents import Agent, Runner

from clew.adapters.openai_agents import PackedSession
from tests.agent_loops.openai_agents import ScriptedModel, run_openai_agents
from tests.agent_loops.script import SYSTEM, assert_all_went_well

pytestmark = pytest.mark.stores("memory")


def test_a_conversation_is_kept_and_its_instructions_stay(engine: Engine) -> None:
    seen: list[Any] = []

    def script(instructions: Any, input: Any) -> Says:
        seen.append((instructions, input))
        return Says(f"Answer {len(seen)}.")

    session = engine.session("s")
    memory = PackedSession(session)
    agent = Agent("keeper", instructions=SYSTEM, model=ScriptedModel(script))
    for text in ("Hello.", "More."):
        Runner.run_sync(agent, text, session=memory, run_config=memory.run_config)
    assert [one.text for one in session.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]
    assert seen[-1][0] == SYSTEM
    assert [item["role"] for item in seen[-1][1]] == ["user", "assistant", "user"]


def test_items_are_read_added_and_taken_out(engine: Engine) -> None:
    session = engine.session("s")
    memory = PackedSession(session)
    call = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "fine"}
    items = [{"role": "user", "content": "Hello."}, call, output]

    async def use() -> None:
        await memory.add_items(items)
        await memory.add_items([call])
        assert await memory.get_items() == items
        assert await memory.get_items(limit=1) == [output]
        assert await memory.pop_item() == output
        assert await memory.get_items() == items[:2]
        await memory.clear_session()
        assert await memory.get_items() == []
        assert await memory.pop_item() is None

    asyncio.run(use())
    assert session.recall("m1")[0].text.endswith("Hello.")


def test_two_hundred_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_openai_agents(engine))
