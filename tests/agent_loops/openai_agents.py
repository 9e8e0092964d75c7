"""An agent of the OpenAI Agents SDK with a scripted model."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from clew.adapters.openai_agents import PackedSession
from clew.engine.engine import Engine
from tests.agent_loops.script import LONG, AgentRun, Work
from tests.provider_replies import Says

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


def run_openai_agents(engine: Engine, work: Work = LONG) -> AgentRun:
    """Runs the agent with a session that packs."""
    run = AgentRun(engine, engine.session("s"), "openai-responses", work)

    def script(instructions: Any, input: Any) -> Says:
        return run.says({"model": "gpt-5", "input": input}, str(input[-1].get("output", "")))

    return run_agent(run, ScriptedModel(script))


def run_agent(run: AgentRun, model: Model, **options: Any) -> AgentRun:
    """Runs the agent with a model."""

    @function_tool
    def look(path: str) -> str:
        return run.runs("look", {"path": path})

    @function_tool
    def search_archive(query: str) -> str:
        return run.runs("search_archive", {"query": query})

    memory = PackedSession(run.session, budget=run.work.budget)
    agent = Agent("worker", model=model, tools=[look, search_archive], **options)
    while not run.is_done:
        config, turns = memory.run_config, run.work.steps
        Runner.run_sync(agent, run.user_says(), session=memory, run_config=config, max_turns=turns)
    return run
