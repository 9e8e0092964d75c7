"""Pydantic AI: an agent with a scripted model of its own."""

from __future__ import annotations

from typing import Any

import pytest

from clew.engine.engine import Engine

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from clew.adapters.pydantic_ai import PackedHistory
from tests.agent_loops.pydantic_ai import run_pydantic_ai
from tests.agent_loops.script import SYSTEM, assert_all_went_well

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
    assert_all_went_well(run_pydantic_ai(engine))
