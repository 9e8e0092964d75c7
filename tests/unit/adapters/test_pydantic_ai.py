"""Pydantic AI: an agent with a scripted model of its own."""

from __future__ import annotations

from typing import Any

import pytest

from clew.engine.engine import Engine
from clew.errors import BudgetExceeded, UsageError

pytest.importorskip("pydantic_ai")

from pydantic import BaseModel, Field
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from clew.adapters.pydantic_ai import PackedHistory
from tests.agent_loops.pydantic_ai import run_pydantic_ai
from tests.agent_loops.script import SHORT, SYSTEM, assert_all_went_well

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
    assert [one.text for one in session.reader.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]


def answers(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(content=f"Fine, {len(messages)}.")])


def test_each_conversation_is_kept_by_itself(engine: Engine) -> None:
    agent = Agent(FunctionModel(answers), capabilities=[PackedHistory(engine)])
    first = agent.run_sync("My number is 4111.", conversation_id="alice")
    assert agent.run_sync("Hello!", conversation_id="bob").output == "Fine, 1."
    assert agent.run_sync("More.", message_history=first.all_messages()).output == "Fine, 3."
    assert [one.text for one in engine.session("bob").reader.recent_messages(9)] == ["Hello!", "Fine, 1."]
    assert len(engine.session("alice").reader.recent_messages(9)) == 4


def test_a_fixed_session_refuses_a_second_conversation_and_a_function_names_it(engine: Engine) -> None:
    agent = Agent(FunctionModel(answers), capabilities=[PackedHistory(engine.session("s"))])
    agent.run_sync("Hello.", conversation_id="alice")
    with pytest.raises(UsageError, match="session s is bound to conversation_id 'alice', but this run has 'bob'"):
        agent.run_sync("Hello.", conversation_id="bob")
    named = Agent(
        FunctionModel(answers), deps_type=str, capabilities=[PackedHistory(lambda ctx: engine.session(ctx.deps))]
    )
    assert [named.run_sync(text, deps="carol").output for text in ("Hello.", "More.")] == ["Fine, 1.", "Fine, 3."]


def test_an_agent_that_a_tool_runs_in_the_same_session_gets_its_own_list(engine: Engine) -> None:
    seen: list[int] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(len(messages))
        is_first = len(seen) == 1
        return ModelResponse(parts=[ToolCallPart("ask", {"text": "x"}) if is_first else TextPart(content="Fine.")])

    memory = PackedHistory(lambda ctx: engine.session("s"))
    inner = Agent(FunctionModel(model), capabilities=[memory])
    outer = Agent(FunctionModel(model), capabilities=[memory])

    @outer.tool_plain
    async def ask(text: str) -> str:
        return (await inner.run(text)).output

    outer.run_sync("Outer.")
    assert seen == [1, 1, 3]


def test_tools_for_the_output_count_in_the_budget(engine: Engine) -> None:
    class Found(BaseModel):
        place: str = Field(description="long words " * 3_000)

    agent = Agent(FunctionModel(answers), output_type=Found, capabilities=[PackedHistory(engine.session("s"), 3_000)])
    with pytest.raises(BudgetExceeded):
        agent.run_sync("Where?")


@pytest.mark.thorough
def test_many_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_pydantic_ai(engine, SHORT))


@pytest.mark.parametrize("again", ["Hello.", "Another."])
def test_after_a_run_that_failed_one_other_may_use_the_session(again: str, engine: Engine) -> None:
    failures = [RuntimeError("overloaded")]

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if failures:
            raise failures.pop()
        return answers(messages, info)

    agent = Agent(FunctionModel(model), capabilities=[PackedHistory(engine.session("s"))])
    with pytest.raises(RuntimeError):
        agent.run_sync("Hello.")
    assert agent.run_sync(again).output == "Fine, 1."
    with pytest.raises(UsageError, match="conversation_id"):
        agent.run_sync(again)
