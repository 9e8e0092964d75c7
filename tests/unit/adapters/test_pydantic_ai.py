"""Pydantic AI: an agent with a scripted model of its own."""

from __future__ import annotations

from typing import Any

import pytest

from clew.engine.engine import Engine
from tests import agent_run
from tests.agent_run import BUDGET, REQUEST, STEPS, SYSTEM, RequestChecks
from tests.unit.adapters.framework_requests import PROVIDER, request_of

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from clew.adapters.pydantic_ai import PackedHistory

pytestmark = pytest.mark.stores("memory")


def test_instructions_and_system_prompt_stay_and_the_history_is_whole(engine: Engine) -> None:
    seen: list[Any] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info.instructions))
        return ModelResponse(parts=[TextPart(content=f"Answer {len(seen)}.")])

    session = engine.session("s")
    agent = Agent(
        FunctionModel(model), system_prompt=SYSTEM, instructions="Be brief.", capabilities=[PackedHistory(session)]
    )
    first = agent.run_sync("Hello.")
    second = agent.run_sync("More.", message_history=first.all_messages())
    assert [part.content for message in seen[-1][0] for part in message.parts] == [
        SYSTEM,
        "Hello.",
        "Answer 1.",
        "More.",
    ]
    assert seen[-1][1] == "Be brief."
    assert len(second.all_messages()) == 4
    assert [one.text for one in session.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]


def test_two_hundred_steps_at_a_small_budget(engine: Engine) -> None:
    session, checks, answers = engine.session("s"), RequestChecks(engine, PROVIDER), []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        checks.see(request_of(messages))
        step = len(checks.requests)
        last = messages[-1].parts[-1]
        said = agent_run.next_words(step, str(last.content) if isinstance(last, ToolReturnPart) else "")
        answers.append(said.text)
        if said.tool:
            return ModelResponse(parts=[ToolCallPart(said.tool, said.arguments, tool_call_id=said.id)])
        return ModelResponse(parts=[TextPart(content=said.text)])

    agent = Agent(FunctionModel(model), capabilities=[PackedHistory(session, budget=BUDGET)])

    @agent.tool_plain
    def look(path: str) -> str:
        return agent_run.tool_output(session, "look", {"path": path})

    @agent.tool_plain
    def search_archive(query: str) -> str:
        return agent_run.tool_output(session, "search_archive", {"query": query})

    history: list[ModelMessage] = []
    words = REQUEST
    while len(checks.requests) < STEPS:
        run = agent.run_sync(words, message_history=history, usage_limits=UsageLimits(request_limit=None))
        history, words = run.all_messages(), agent_run.users_words(len(checks.requests))
    agent_run.assert_the_fact_came_back(answers, checks)
