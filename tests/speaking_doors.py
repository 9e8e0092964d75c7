"""Every door through which words come into a session and reach a model: what each sends when somebody speaks.

A door is a function of an engine, or of the program, and of a talk: it says the words of the talk, asks something in
the same session, and returns all that reached a model or an assistant meanwhile.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import clew
from clew.engine.engine import Engine
from tests.agent_loops.clients import async_client, client, create, said_back, user
from tests.assistant_files import claude_file
from tests.builders import says
from tests.hook_events import pre_compact
from tests.journeys.program import Program
from tests.provider_replies import Says, reply
from tests.provider_server import provider

ASKED = "What shall I do today?"


@dataclass(frozen=True)
class Talk:
    """A session, who was named for it, and the word that nobody else may hear."""

    id: str
    user: str | None
    word: str

    @property
    def words(self) -> str:
        return f"I live in {self.word}. My daughter is called {self.word}a."


def _answer(path: str, body: dict[str, Any]) -> Any:
    return reply(path, Says("Fine."), stream=bool(body.get("stream")), number=len(json.dumps(body)))


# ── the library ──────────────────────────────────────────────────────────────────────────────────────


def library(engine: Engine, talk: Talk) -> str:
    session = engine.session(talk.id, user=talk.user, model="claude-sonnet-5")
    session.record([clew.user(talk.words), says("Fine.")])
    session.compact(keep_recent=0)
    packs = [session.pack(ASKED, budget=8_000), session.pack(None, budget=4_000, target="text", record=False)]
    found = session.search("daughter live", limit=20)
    return json.dumps(packs[0].request("anthropic")) + "".join(one.text for one in [*packs, *found])


def asking(engine: Engine, talk: Talk) -> str:
    with provider(_answer) as server:
        session = engine.session(talk.id, user=talk.user)
        with clew.open(":memory:", config=clew.Config(models=_models(server.url))) as other:
            model = other.services.models.chat_for_session(session.key, chosen="local/qwen")
            for text in (talk.words, ASKED):
                session.ask(text, model=model)
        return json.dumps(server.requests)


def _models(url: str) -> Any:
    from clew.config import ModelsConfig

    return ModelsConfig(base_url=url, max_retries=0)


def asynchronous(store: Path, talk: Talk) -> str:
    async def work() -> str:
        async with clew.open_async(store, config=clew.Config()) as engine:
            session = await engine.session(talk.id, user=talk.user, model="claude-sonnet-5")
            await session.record([clew.user(talk.words), says("Fine.")])
            return (await session.pack(ASKED, budget=8_000)).text

    return asyncio.run(work())


# ── wrapped clients ──────────────────────────────────────────────────────────────────────────────────


def wrapped(engine: Engine, talk: Talk) -> str:
    with provider(_answer) as server:
        own = clew.wrap(client("anthropic", server), session=engine.session(talk.id, user=talk.user))
        messages: list[Any] = [user(talk.words)]
        messages += [*said_back("anthropic", create(own, "anthropic", messages)), user(ASKED)]
        create(own, "anthropic", messages)
        return json.dumps(server.requests)


def wrapped_async(engine: Engine, talk: Talk) -> str:
    async def work(server: Any) -> None:
        own = clew.wrap(async_client("openai-responses", server), session=engine.session(talk.id, user=talk.user))
        messages: list[Any] = [user(talk.words)]
        messages += [*said_back("openai-responses", await create(own, "openai-responses", messages)), user(ASKED)]
        await create(own, "openai-responses", messages)
        await own.close()

    with provider(_answer) as server:
        asyncio.run(work(server))
        return json.dumps(server.requests)


# ── frameworks: one adapter for many conversations ───────────────────────────────────────────────────


def langchain(engine: Engine, talk: Talk) -> str:
    from langchain.agents import create_agent

    from clew.adapters.langchain import PackedMessages
    from tests.agent_loops.langchain import ScriptedModel

    seen: list[str] = []

    def script(messages: Any) -> Says:
        seen.extend(message.text for message in messages)
        return Says("Fine.")

    memory = PackedMessages(engine, user=lambda _: talk.user)
    agent = create_agent(ScriptedModel(script=script), [], middleware=[memory])
    for text in (talk.words, ASKED):
        agent.invoke({"messages": [{"role": "user", "content": text}]}, {"configurable": {"thread_id": talk.id}})
    return "".join(seen)


def pydantic_ai(engine: Engine, talk: Talk) -> str:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from clew.adapters.pydantic_ai import PackedHistory

    seen: list[str] = []

    def model(messages: Any, _: Any) -> ModelResponse:
        seen.extend(str(part) for message in messages for part in message.parts)
        return ModelResponse(parts=[TextPart(content="Fine.")])

    agent = Agent(FunctionModel(model), capabilities=[PackedHistory(engine, user=talk.user)])
    first = agent.run_sync(talk.words, conversation_id=talk.id)
    agent.run_sync(ASKED, message_history=first.all_messages(), conversation_id=talk.id)
    return "".join(seen)


def openai_agents(engine: Engine, talk: Talk) -> str:
    from agents import Agent, Runner

    from clew.adapters.openai_agents import PackedSession
    from tests.agent_loops.openai_agents import ScriptedModel

    seen: list[str] = []

    def script(_: Any, input: Any) -> Says:
        seen.append(str(input))
        return Says("Fine.")

    memory = PackedSession(engine.session(talk.id, user=talk.user))

    async def work() -> None:
        for text in (talk.words, ASKED):
            agent = Agent("keeper", model=ScriptedModel(script))
            await Runner.run(agent, text, session=memory, run_config=memory.run_config)

    asyncio.run(work())
    return "".join(seen)


def google_adk(engine: Engine, talk: Talk) -> str:
    from google.adk.agents import LlmAgent

    from clew.adapters.google_adk import PackedContents
    from tests.agent_loops.google_adk import ScriptedModel, new_session, runner_of
    from tests.agent_loops.google_adk import talk as say

    seen: list[str] = []

    def script(request: Any) -> Says:
        seen.append(str(request.contents))
        return Says("Fine.")

    memory = PackedContents(engine, user=lambda context: context.user_id if talk.user else None)
    runner = runner_of(LlmAgent(name="first", model=ScriptedModel(script=script)), memory)

    async def work() -> None:
        session = await new_session(runner, talk.user or "u", talk.id)
        for text in (talk.words, ASKED):
            await say(runner, session, text)

    asyncio.run(work())
    return "".join(seen)


# ── servers ──────────────────────────────────────────────────────────────────────────────────────────


def mcp(engine: Engine, talk: Talk) -> str:
    from tests.unit.mcp_server.calls import talk as call

    return call(engine, lambda own: mcp_calls(own, talk))


async def mcp_calls(own: Any, talk: Talk) -> str:
    """What the tools and resources of a server answer to whoever reports a conversation."""
    said = [{"role": "user", "content": talk.words}, {"role": "assistant", "content": "Fine."}]
    await own.call_tool("record_messages", {"messages": said, "session": talk.id})
    about: dict[str, dict[str, Any]] = {
        "get_critical_context": {},
        "get_story": {},
        "search_context": {"query": "daughter live called"},
        "retrieve_context": {"conversation_ids": ["m1"], "format": "full"},
    }
    seen = [await own.call_tool(name, {"session": talk.id} | more) for name, more in about.items()]
    return "".join(str(one.structured_content) for one in seen)


# ── the program ──────────────────────────────────────────────────────────────────────────────────────


def command_line(program: Program, talk: Talk) -> str:
    named = ("--user", talk.user) if talk.user else ()
    path = program.folder / f"{talk.id}.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": talk.words}]}))
    assert program("import", path, "--session", talk.id, *named).code == 0
    learned = program("profile", "learn", talk.id, *named)
    assert learned.code == 0, learned.err
    done = program("pack", talk.id, "--budget", "4000", "--query", ASKED, "--for", "anthropic", *named)
    assert done.code == 0, done.err
    return done.out


def chat(program: Program, talk: Talk) -> str:
    named = ("--user", talk.user) if talk.user else ()
    with provider(_answer) as server:
        lines = f"{talk.words}\n{ASKED}\n".encode()
        done = program("chat", talk.id, "--model", "qwen", "--url", server.url, *named, stdin=lines)
        assert done.code == 0, done.err
        return json.dumps(server.requests)


def hook(program: Program, talk: Talk) -> str:
    path = claude_file(talk.id, talk.words, "Never push on Fridays.", folder="/srv/shop")
    env = {"CLEW_USER": talk.user} if talk.user else {}
    done = program("hook", "claude-code", "PreCompact", stdin=json.dumps(pre_compact(path)).encode(), **env)
    assert (done.code, done.err) == (0, "")
    return done.out


#: What a door needs beside Clew.
_NEEDS = {
    "wrapped": "anthropic",
    "wrapped_async": "openai",
    "langchain": "langchain",
    "pydantic_ai": "pydantic_ai",
    "openai_agents": "agents",
    "google_adk": "google.adk",
}


def _is_there(door: str) -> bool:
    parts = _NEEDS.get(door, "").split(".")
    found = [".".join(parts[: at + 1]) for at in range(len(parts))]
    return not parts[0] or all(find_spec(name) for name in found)


#: By what they are handed: an engine of a thread's own, or the program.
OF_ENGINES: dict[str, Callable[[Engine, Talk], str]] = {
    one.__name__: one
    for one in (library, asking, wrapped, wrapped_async, langchain, pydantic_ai, openai_agents, google_adk)
    if _is_there(one.__name__)
}
OF_PROGRAM: dict[str, Callable[[Program, Talk], str]] = {
    "command_line": command_line,
    "chat": chat,
    "hook": hook,
}
