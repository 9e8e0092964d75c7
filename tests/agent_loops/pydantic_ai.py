"""An agent of Pydantic AI with a scripted model."""

from __future__ import annotations

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

from clew.adapters.pydantic_ai import PackedHistory
from clew.engine.engine import Engine
from tests.agent_loops.framework_requests import PROVIDER, request_of
from tests.agent_loops.script import LONG, AgentRun, Work


def run_pydantic_ai(engine: Engine, work: Work = LONG) -> AgentRun:
    """Runs the agent with the capability."""
    run = AgentRun(engine, engine.session("s"), PROVIDER, work)

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        said = run.says(request_of(messages), str(last.content) if isinstance(last, ToolReturnPart) else "")
        if said.tool:
            return ModelResponse(parts=[ToolCallPart(said.tool, said.arguments, tool_call_id=said.id)])
        return ModelResponse(parts=[TextPart(content=said.text)])

    return run_agent(run, FunctionModel(model))


def run_agent(run: AgentRun, model: Model, **options: Any) -> AgentRun:
    """Runs the agent with a model."""
    agent = Agent(model, capabilities=[PackedHistory(run.session, budget=run.work.budget)], **options)

    @agent.tool_plain
    def look(path: str) -> str:
        return run.runs("look", {"path": path})

    @agent.tool_plain
    def search_archive(query: str) -> str:
        return run.runs("search_archive", {"query": query})

    history: list[ModelMessage] = []
    while not run.is_done:
        limits = UsageLimits(request_limit=None)
        history = agent.run_sync(run.user_says(), message_history=history, usage_limits=limits).all_messages()
    return run
