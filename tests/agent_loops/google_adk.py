"""An agent of Google ADK with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from clew.adapters.google_adk import FORMAT, PackedContents
from clew.codecs.sdk_objects import plain
from clew.engine.engine import Engine
from tests.agent_loops.script import LONG, AgentRun, Work
from tests.provider_replies import Says


class ScriptedModel(BaseLlm):
    """Answers what its script says to a request: words or a call, or the pieces of a stream."""

    model: str = "scripted"
    script: Callable[[Any], Says | list[LlmResponse]]

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        said = self.script(llm_request)
        for response in said if isinstance(said, list) else [_response(said)]:
            yield response


def _response(said: Says) -> LlmResponse:
    part = types.Part(text=said.text)
    if said.tool:
        call = types.FunctionCall(id=said.id, name=said.tool, args=said.arguments)
        part = types.Part(function_call=call, thought_signature=b"signed")
    return LlmResponse(content=types.Content(role="model", parts=[part]))


def runner_of(agent: LlmAgent, *plugins: Any) -> InMemoryRunner:
    """A runner of the application ``app``."""
    return InMemoryRunner(app=App(name="app", root_agent=agent, plugins=list(plugins)))


async def talk(runner: InMemoryRunner, session: Any, words: str | types.Content, **how: Any) -> None:
    """One run of the agent."""
    said = types.UserContent(words) if isinstance(words, str) else words
    async for _ in runner.run_async(user_id=session.user_id, session_id=session.id, new_message=said, **how):
        pass


async def new_session(runner: InMemoryRunner, user: str = "u", id: str | None = None) -> Any:
    """A session of ADK."""
    return await runner.session_service.create_session(app_name=runner.app_name, user_id=user, session_id=id)


def run_google_adk(engine: Engine, work: Work = LONG) -> AgentRun:
    """Runs the agent with the plugin."""
    run = AgentRun(engine, engine.session("s"), FORMAT, work)

    def script(request: Any) -> Says:
        contents = [plain(one) for one in request.contents]
        last = contents[-1]["parts"][-1].get("functionResponse") or {}
        return run.says({"contents": contents}, str((last.get("response") or {}).get("result", "")))

    def look(path: str) -> str:
        """Looks at a file."""
        return run.runs("look", {"path": path})

    def search_archive(query: str) -> str:
        """Searches what was said before."""
        return run.runs("search_archive", {"query": query})

    agent = LlmAgent(name="worker", model=ScriptedModel(script=script), tools=[look, search_archive])
    runner = runner_of(agent, PackedContents(run.session, budget=work.budget))

    async def work() -> None:
        session = await new_session(runner)
        while not run.is_done:
            await talk(runner, session, run.user_says())

    asyncio.run(work())
    return run
