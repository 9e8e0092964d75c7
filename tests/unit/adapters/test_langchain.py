"""LangChain: an agent with a scripted chat model of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from clew.engine.engine import Engine
from tests import agent_run
from tests.agent_run import BUDGET, REQUEST, STEPS, SYSTEM, RequestChecks
from tests.provider_replies import Says
from tests.unit.adapters.framework_requests import PROVIDER, request_of

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from clew.adapters.langchain import PackedMessages

pytestmark = pytest.mark.stores("memory")


class ScriptedModel(BaseChatModel):
    """Answers what its script says."""

    script: Callable[[list[BaseMessage]], Says]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        said = self.script(messages)
        calls = [{"name": said.tool, "args": said.arguments, "id": said.id, "type": "tool_call"}] if said.tool else []
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=said.text, tool_calls=calls))])


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
    session, checks, answers = engine.session("s"), RequestChecks(engine, PROVIDER), []

    def script(messages: list[BaseMessage]) -> Says:
        checks.see(request_of(messages))
        last = messages[-1]
        said = agent_run.next_words(len(checks.requests), last.text if isinstance(last, ToolMessage) else "")
        answers.append(said.text)
        return said

    @tool
    def look(path: str) -> str:
        """Looks at a file."""
        return agent_run.tool_output(session, "look", {"path": path})

    @tool
    def search_archive(query: str) -> str:
        """Searches what was said before."""
        return agent_run.tool_output(session, "search_archive", {"query": query})

    model, tools = ScriptedModel(script=script), [look, search_archive]
    agent = create_agent(model, tools, middleware=[PackedMessages(session, budget=BUDGET)])
    messages: list[Any] = [{"role": "user", "content": REQUEST}]
    while len(checks.requests) < STEPS:
        messages = agent.invoke({"messages": messages}, {"recursion_limit": 10 * STEPS})["messages"]
        messages.append({"role": "user", "content": agent_run.users_words(len(checks.requests))})
    agent_run.assert_the_fact_came_back(answers, checks)
