"""OpenAI Agents SDK: an agent with a scripted model of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from clew.engine.engine import Engine
from tests import agent_run
from tests.agent_run import BUDGET, REQUEST, STEPS, SYSTEM, RequestChecks
from tests.provider_replies import Says

pytest.importorskip("agents")

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from clew.adapters.openai_agents import PackedSession

pytestmark = pytest.mark.stores("memory")
set_tracing_disabled(True)


class ScriptedModel(Model):
    """Answers what its script says, and keeps what it is asked."""

    def __init__(self, script: Any) -> None:
        self.script, self.number = script, 0

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **options: Any) -> ModelResponse:
        self.number += 1
        return ModelResponse([_item(self.script(system_instructions, input), self.number)], Usage(), None)

    def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def _item(said: Says, number: int) -> Any:
    if said.tool:
        arguments = "{" + ", ".join(f'"{name}": "{value}"' for name, value in said.arguments.items()) + "}"
        return ResponseFunctionToolCall(
            type="function_call", id=f"fc_{number}", call_id=said.id, name=said.tool, arguments=arguments
        )
    text = ResponseOutputText(type="output_text", text=said.text, annotations=[])
    return ResponseOutputMessage(
        type="message", id=f"msg_{number}", role="assistant", status="completed", content=[text]
    )


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
    session, checks, answers = engine.session("s"), RequestChecks(engine, "openai-responses"), []

    def script(instructions: Any, input: Any) -> Says:
        checks.see({"model": "gpt-5", "input": input})
        said = agent_run.next_words(len(checks.requests), str(input[-1].get("output", "")))
        answers.append(said.text)
        return said

    @function_tool
    def look(path: str) -> str:
        return agent_run.tool_output(session, "look", {"path": path})

    @function_tool
    def search_archive(query: str) -> str:
        return agent_run.tool_output(session, "search_archive", {"query": query})

    memory = PackedSession(session, budget=BUDGET)
    agent = Agent("worker", model=ScriptedModel(script), tools=[look, search_archive])
    words = REQUEST
    while len(checks.requests) < STEPS:
        Runner.run_sync(agent, words, session=memory, run_config=memory.run_config, max_turns=STEPS)
        words = agent_run.users_words(len(checks.requests))
    agent_run.assert_the_fact_came_back(answers, checks)
