"""Agents whose model thinks, against an upstream that refuses whatever the strictest reading of the rules forbids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anthropic
import openai
from agents import ModelSettings
from agents import OpenAIResponsesModel as AgentsModel
from google import genai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_openai import ChatOpenAI
from pydantic_ai.models import Model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.deepseek import DeepSeekProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider

from clew.engine.engine import Engine
from tests.agent_loops import langchain, openai_agents, pydantic_ai
from tests.agent_loops.clients import output, run_client, tools
from tests.agent_loops.script import SYSTEM, AgentRun, Work, next_words
from tests.provider_replies import Says, anthropic_message
from tests.provider_server import provider
from tests.strict_upstream import Upstream

LONG = Work(steps=200, budget=6_000)
SHORT = Work(steps=40, budget=3_500)
Loop = Callable[[Engine, Upstream, Work], AgentRun]


def run_packs(engine: Engine, upstream: Upstream, work: Work, *, is_told: bool = False) -> AgentRun:
    """Runs the agent with ``session.pack`` and ``session.reply``; with ``is_told`` packs are told the mode."""
    format, mode = upstream.format, upstream.mode
    run = AgentRun(engine, engine.session("s"), format, work)
    run.session.record([], format=format, system=SYSTEM, tools=tools(format))
    told = {"thinking": mode.settings.get("thinking") or {}} if is_told else {}
    beside = mode.settings | {"model": mode.model} | ({"max_tokens": 2_000} if format == "anthropic" else {})
    words, kind = run.user_says(), {}
    for step in range(1, work.steps + 1):
        pack = run.session.pack(words, budget=work.budget, target=format, **kind, **told)
        said = upstream.answer(pack.request(format) | beside, run.answer)
        made = run.session.reply(upstream.reply(said), format=format)
        called = next_words(step, "", work)
        kind = {"kind": "tool_response", "tool_id": made.calls[0].id} if called.tool else {}
        words = run.runs(called.tool, called.arguments) if called.tool else run.user_says()
    return run


def _wrapped(*, is_async: bool = False, streams: bool = False) -> Loop:
    """Runs the agent through a wrapped client of the provider's package."""
    how = {"is_async": is_async, "streams": streams}
    return lambda engine, upstream, work: run_client(engine, upstream.format, work=work, upstream=upstream, **how)


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


def run_langchain(engine: Engine, upstream: Upstream, work: Work) -> AgentRun:
    """Runs an agent of LangChain with the middleware; of OpenAI's models with its own integration."""
    run, mode = AgentRun(engine, engine.session("s"), upstream.format, work), upstream.mode
    if upstream.format == "anthropic":
        ask = lambda body: upstream.answer(body, run.answer)  # noqa: E731
        model = _ThinkingModel(model=mode.model, thinking=mode.settings.get("thinking"), ask=ask)
        return langchain.run_agent(run, model, system_prompt=SYSTEM)
    with provider(upstream.script(run.answer)) as served:
        where = {"base_url": served.url, "api_key": "none", "max_retries": 0}
        how = {"use_responses_api": True, "output_version": "responses/v1"}
        return langchain.run_agent(run, ChatOpenAI(model=mode.model, **where, **how, **mode.settings))


def run_pydantic_ai(engine: Engine, upstream: Upstream, work: Work) -> AgentRun:
    """Runs an agent of Pydantic AI, with its own model of the provider, with the capability."""
    run, asked = AgentRun(engine, engine.session("s"), upstream.format, work), upstream.mode.settings
    settings: dict[str, Any] = {"max_tokens": 2_000} if upstream.format == "anthropic" else {}
    if thinking := asked.get("thinking"):
        named = upstream.format == "anthropic"
        settings |= {"anthropic_thinking": thinking} if named else {"extra_body": {"thinking": thinking}}
    if "store" in asked:
        settings["openai_store"] = asked["store"]
    with provider(upstream.script(run.answer)) as served:
        model = _model_of_pydantic_ai(upstream, served.url)
        return pydantic_ai.run_agent(run, model, instructions=SYSTEM, model_settings=settings)


def _model_of_pydantic_ai(upstream: Upstream, url: str) -> Model:
    name, where = upstream.mode.model, {"api_key": "none", "base_url": url, "max_retries": 0}
    match upstream.format:
        case "anthropic":
            return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(**where)))
        case "openai-responses":
            return OpenAIResponsesModel(name, provider=OpenAIProvider(openai_client=openai.AsyncOpenAI(**where)))
        case "openai-chat":
            return OpenAIChatModel(name, provider=DeepSeekProvider(openai_client=openai.AsyncOpenAI(**where)))
    client = genai.Client(api_key="none", http_options={"base_url": url})
    return GoogleModel(name, provider=GoogleProvider(client=client))


def run_openai_agents(engine: Engine, upstream: Upstream, work: Work) -> AgentRun:
    """Runs an agent of OpenAI's SDK, with its own model, with a session that packs."""
    run, asked = AgentRun(engine, engine.session("s"), upstream.format, work), upstream.mode.settings
    settings = ModelSettings(store=asked.get("store"), response_include=asked.get("include"))
    with provider(upstream.script(run.answer)) as served:
        client = openai.AsyncOpenAI(api_key="none", base_url=served.url, max_retries=0)
        model = AgentsModel(upstream.mode.model, client)
        return openai_agents.run_agent(run, model, model_settings=settings)


LOOPS: dict[str, Loop] = {
    "session.pack": run_packs,
    "session.pack, told the mode": lambda *given: run_packs(*given, is_told=True),
    "wrap": _wrapped(),
    "wrap, streaming": _wrapped(streams=True),
    "wrap, async": _wrapped(is_async=True),
    "wrap, async streaming": _wrapped(is_async=True, streams=True),
    "langchain": run_langchain,
    "pydantic_ai": run_pydantic_ai,
}
#: Ways to other providers than Anthropic, by the format that they are asked in.
OTHER_LOOPS: dict[str, dict[str, Loop]] = {
    "openai-responses": {
        "session.pack": run_packs,
        "wrap": _wrapped(),
        "wrap, async streaming": _wrapped(is_async=True, streams=True),
        "langchain": run_langchain,
        "pydantic_ai": run_pydantic_ai,
        "openai_agents": run_openai_agents,
    },
    "openai-chat": {
        "session.pack": run_packs,
        "wrap": _wrapped(),
        "wrap, async streaming": _wrapped(is_async=True, streams=True),
        "pydantic_ai": run_pydantic_ai,
    },
    "gemini": {"session.pack": run_packs, "pydantic_ai": run_pydantic_ai},
}
