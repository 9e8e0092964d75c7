"""Agents whose model thinks, against an upstream that refuses whatever the strictest reading of the rules forbids."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import anthropic
from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.usage import UsageLimits

import clew
from clew.adapters.langchain import PackedMessages
from clew.adapters.pydantic_ai import PackedHistory
from clew.engine.engine import Engine
from tests.agent_loops.clients import last_output, output, tools, user
from tests.agent_loops.script import SYSTEM, AgentRun, Work, next_words
from tests.provider_replies import Says, anthropic_message
from tests.provider_server import provider
from tests.strict_upstream import StrictUpstream

LONG = Work(steps=200, budget=6_000)
SHORT = Work(steps=48, budget=3_500)
Loop = Callable[..., AgentRun]


def _says(run: AgentRun) -> Callable[[dict[str, Any]], Says]:
    return lambda body: run.says(body, last_output(body))


def run_packs(engine: Engine, upstream: StrictUpstream, work: Work, *, is_told: bool = False) -> AgentRun:
    """Runs the agent with ``session.pack`` and ``session.reply``; with ``is_told`` packs are told the mode."""
    run = AgentRun(engine, engine.session("s"), "anthropic", work)
    run.session.record([], format="anthropic", system=SYSTEM, tools=tools("anthropic"))
    mode = {"thinking": upstream.mode.thinking or {}} if is_told else {}
    words, kind = run.user_says(), {}
    for step in range(1, work.steps + 1):
        pack = run.session.pack(words, budget=work.budget, target="anthropic", **kind, **mode)
        body = pack.request("anthropic") | upstream.mode.settings | {"model": upstream.mode.model, "max_tokens": 2_000}
        said = upstream.answer(body, _says(run))
        run.session.reply(anthropic_message(said, step), format="anthropic")
        called = next_words(step, "", work)
        kind = {"kind": "tool_response", "tool_id": called.id} if called.tool else {}
        words = run.runs(called.tool, called.arguments) if called.tool else run.user_says()
    return run


def run_wrapped(
    engine: Engine, upstream: StrictUpstream, work: Work, *, is_async: bool = False, streams: bool = False
) -> AgentRun:
    """Runs the agent through a wrapped client of Anthropic's package."""
    run = AgentRun(engine, engine.session("s"), "anthropic", work)
    with provider(upstream.script(_says(run))) as served:
        kind = anthropic.AsyncAnthropic if is_async else anthropic.Anthropic
        client = kind(api_key="none", base_url=served.url, max_retries=0)
        wrapped = clew.wrap(client, session=run.session, budget=work.budget)
        asyncio.run(_talk(run, upstream, wrapped, streams=streams))
    return run


async def _talk(run: AgentRun, upstream: StrictUpstream, wrapped: Any, *, streams: bool) -> None:
    about = upstream.mode.settings | {"model": upstream.mode.model, "max_tokens": 2_000, "system": SYSTEM}
    messages: list[Any] = [user(run.user_says())]
    for step in range(1, run.work.steps + 1):
        asked = {"messages": messages, "tools": tools("anthropic"), **about}
        response = await (_streamed(wrapped, asked) if streams else _whole(wrapped, asked))
        messages.append({"role": "assistant", "content": response.content})
        called = next_words(step, "", run.work)
        if called.tool:
            messages.append(output("anthropic", called.id, run.runs(called.tool, called.arguments)))
        else:
            messages.append(user(run.user_says()))


async def _whole(wrapped: Any, asked: dict[str, Any]) -> Any:
    found = wrapped.messages.create(**asked)
    return await found if inspect.isawaitable(found) else found


async def _streamed(wrapped: Any, asked: dict[str, Any]) -> Any:
    manager = wrapped.messages.stream(**asked)
    if hasattr(manager, "__aenter__"):
        async with manager as stream:
            return await stream.get_final_message()
    with manager as stream:
        return stream.get_final_message()


# ── frameworks ───────────────────────────────────────────────────────────────────────────────────────


class _ThinkingModel(BaseChatModel):
    """Sends what LangChain's integration of Anthropic would send."""

    model: str
    thinking: dict[str, Any] | None
    ask: Callable[[dict[str, Any]], Says]

    @property
    def _llm_type(self) -> str:
        return "thinking"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        system = "\n".join(one.text for one in messages if isinstance(one, SystemMessage))
        sent = [_anthropic(one) for one in messages if not isinstance(one, SystemMessage)]
        body = {"model": self.model, "max_tokens": 2_000, "system": system, "messages": sent}
        said = self.ask(body | ({"thinking": self.thinking} if self.thinking else {}))
        calls = [{"name": said.tool, "args": said.arguments, "id": said.id, "type": "tool_call"}] if said.tool else []
        content = anthropic_message(said, 1)["content"]
        about = {"model_name": self.model}
        reply = AIMessage(content=content, tool_calls=calls, response_metadata=about)
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _anthropic(message: BaseMessage) -> dict[str, Any]:
    if isinstance(message, ToolMessage):
        return output("anthropic", message.tool_call_id, message.text)
    if isinstance(message, HumanMessage):
        return {"role": "user", "content": message.content}
    blocks = [{"type": "text", "text": message.content}] if isinstance(message.content, str) else message.content
    known = {block["id"] for block in blocks if block["type"] == "tool_use"}
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    made = [{"type": "tool_use", "id": one["id"], "name": one["name"], "input": one["args"]} for one in calls]
    said = [block for block in blocks if block.get("text", ".")]
    return {"role": "assistant", "content": [*said, *(one for one in made if one["id"] not in known)]}


def run_langchain(engine: Engine, upstream: StrictUpstream, work: Work) -> AgentRun:
    """Runs an agent of LangChain with the middleware."""
    run = AgentRun(engine, engine.session("s"), "anthropic", work)

    @tool
    def look(path: str) -> str:
        """Looks at a file."""
        return run.runs("look", {"path": path})

    @tool
    def search_archive(query: str) -> str:
        """Searches what was said before."""
        return run.runs("search_archive", {"query": query})

    mode = upstream.mode
    ask = lambda body: upstream.answer(body, _says(run))  # noqa: E731
    model = _ThinkingModel(model=mode.model, thinking=mode.thinking, ask=ask)
    packed = PackedMessages(run.session, budget=work.budget)
    agent = create_agent(model, [look, search_archive], system_prompt=SYSTEM, middleware=[packed])
    messages: list[Any] = []
    while not run.is_done:
        messages.append({"role": "user", "content": run.user_says()})
        messages = agent.invoke({"messages": messages}, {"recursion_limit": 10 * work.steps})["messages"]
    return run


def run_pydantic_ai(engine: Engine, upstream: StrictUpstream, work: Work) -> AgentRun:
    """Runs an agent of Pydantic AI, with its own model of Anthropic, with the capability."""
    run = AgentRun(engine, engine.session("s"), "anthropic", work)
    settings: dict[str, Any] = {"max_tokens": 2_000}
    if upstream.mode.thinking:
        settings["anthropic_thinking"] = upstream.mode.thinking
    with provider(upstream.script(_says(run))) as served:
        client = anthropic.AsyncAnthropic(api_key="none", base_url=served.url, max_retries=0)
        model = AnthropicModel(upstream.mode.model, provider=AnthropicProvider(anthropic_client=client))
        packed = PackedHistory(run.session, budget=work.budget)
        agent = Agent(model, instructions=SYSTEM, capabilities=[packed], model_settings=settings)

        @agent.tool_plain
        def look(path: str) -> str:
            return run.runs("look", {"path": path})

        @agent.tool_plain
        def search_archive(query: str) -> str:
            return run.runs("search_archive", {"query": query})

        asyncio.run(_talk_by_turns(run, agent))
    return run


async def _talk_by_turns(run: AgentRun, agent: Agent[Any, str]) -> None:
    history: list[Any] = []
    while not run.is_done:
        limits = UsageLimits(request_limit=None)
        found = await agent.run(run.user_says(), message_history=history, usage_limits=limits)
        history = found.all_messages()


LOOPS: dict[str, Loop] = {
    "session.pack": run_packs,
    "session.pack, told the mode": lambda *given: run_packs(*given, is_told=True),
    "wrap": run_wrapped,
    "wrap, streaming": lambda *given: run_wrapped(*given, streams=True),
    "wrap, async": lambda *given: run_wrapped(*given, is_async=True),
    "wrap, async streaming": lambda *given: run_wrapped(*given, is_async=True, streams=True),
    "langchain": run_langchain,
    "pydantic_ai": run_pydantic_ai,
}
