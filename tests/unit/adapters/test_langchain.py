"""LangChain: an agent with a scripted chat model of its own."""

from __future__ import annotations

import asyncio

import pytest

from clew.engine.engine import Engine
from tests.provider_replies import Says

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.messages import BaseMessage, SystemMessage

from clew.adapters.langchain import PackedMessages
from tests.agent_loops.langchain import ScriptedModel, run_langchain
from tests.agent_loops.script import SYSTEM, assert_all_went_well

pytestmark = pytest.mark.stores("memory")


def test_the_system_prompt_stays_and_the_state_is_whole(engine: Engine) -> None:
    seen: list[list[BaseMessage]] = []

    def script(messages: list[BaseMessage]) -> Says:
        seen.append(messages)
        return Says(f"Answer {len(seen)}.")

    session = engine.session("s")
    model = ScriptedModel(script=script)
    agent = create_agent(model, [], system_prompt=SYSTEM, middleware=[PackedMessages(session)])
    state = agent.invoke({"messages": [{"role": "user", "content": "Hello."}]})
    more = {"messages": [*state["messages"], {"role": "user", "content": "More."}]}
    state = asyncio.run(agent.ainvoke(more))
    assert [message.text for message in seen[-1]] == [SYSTEM, "Hello.", "Answer 1.", "More."]
    assert isinstance(seen[-1][0], SystemMessage)
    assert len(state["messages"]) == 4
    assert [one.text for one in session.recent_messages(9)] == ["Hello.", "Answer 1.", "More.", "Answer 2."]


def test_two_hundred_steps_at_a_small_budget(engine: Engine) -> None:
    assert_all_went_well(run_langchain(engine))
