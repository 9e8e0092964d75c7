"""An agent of LangChain with a scripted chat model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from clew.adapters.langchain import PackedMessages
from clew.engine.engine import Engine
from tests.agent_loops.framework_requests import PROVIDER, request_of
from tests.agent_loops.script import LONG, AgentRun, Work
from tests.provider_replies import Says


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


def run_langchain(engine: Engine, work: Work = LONG) -> AgentRun:
    """Runs the agent with the middleware."""
    run = AgentRun(engine, engine.session("s"), PROVIDER, work)

    def script(messages: list[BaseMessage]) -> Says:
        last = messages[-1]
        return run.says(request_of(messages), last.text if isinstance(last, ToolMessage) else "")

    return run_agent(run, ScriptedModel(script=script))


def run_agent(run: AgentRun, model: BaseChatModel, **options: Any) -> AgentRun:
    """Runs the agent with a model."""

    @tool
    def look(path: str) -> str:
        """Looks at a file."""
        return run.runs("look", {"path": path})

    @tool
    def search_archive(query: str) -> str:
        """Searches what was said before."""
        return run.runs("search_archive", {"query": query})

    packed = PackedMessages(run.session, budget=run.work.budget)
    agent = create_agent(model, [look, search_archive], middleware=[packed], **options)
    messages: list[Any] = []
    while not run.is_done:
        messages.append({"role": "user", "content": run.user_says()})
        messages = agent.invoke({"messages": messages}, {"recursion_limit": 10 * run.work.steps})["messages"]
    return run
