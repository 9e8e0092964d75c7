"""The official clients, wrapped: calls in the words of each, and the agent's loop through all of them."""

from __future__ import annotations

import asyncio
import inspect
from operator import attrgetter
from typing import Any

import anthropic
import openai

import clew
from clew.engine.engine import Engine
from tests.agent_loops.script import LONG, SYSTEM, TOOLS, AgentRun, Work, last_output, next_words
from tests.gateway_server import gateway
from tests.provider_replies import reply
from tests.provider_server import Answer, ProviderServer, provider
from tests.strict_upstream import Upstream

PATHS = {"anthropic": "/v1/messages", "openai-chat": "/chat/completions", "openai-responses": "/responses"}


def client(format: str, server: ProviderServer | str, **options: Any) -> Any:
    """The official client for a format."""
    kind = anthropic.Anthropic if format == "anthropic" else openai.OpenAI
    return kind(api_key="none", base_url=_base_url(format, server), **options)


def _base_url(format: str, server: ProviderServer | str) -> str:
    """The address as each client takes it; a gateway's has the version in its paths."""
    if not isinstance(server, str):
        return server.url
    return server if format == "anthropic" else f"{server}/v1"


#: What a call says beside the conversation, unless its caller says otherwise.
_ABOUT = {
    "anthropic": {"model": "claude-sonnet-5", "max_tokens": 100},
    "openai-chat": {"model": "gpt-5"},
    "openai-responses": {"model": "gpt-5"},
}


def create(client: Any, format: str, messages: list[Any], **options: Any) -> Any:
    """One call, in the words of the client."""
    place, asked = _asked(client, format, messages, options)
    return place.create(**asked)


async def read_stream(client: Any, format: str, messages: list[Any], **options: Any) -> Any:
    """One call whose answer is read from a stream."""
    place, asked = _asked(client, format, messages, options)
    manager = place.stream(**asked)
    final = {"anthropic": "message", "openai-chat": "completion", "openai-responses": "response"}[format]
    if hasattr(manager, "__aenter__"):
        async with manager as stream:
            return await getattr(stream, f"get_final_{final}")()
    with manager as stream:
        return getattr(stream, f"get_final_{final}")()


def _asked(client: Any, format: str, messages: list[Any], options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    name = "input" if format == "openai-responses" else "messages"
    places = {"anthropic": "messages", "openai-chat": "chat.completions", "openai-responses": "responses"}
    return attrgetter(places[format])(client), _ABOUT[format] | {name: messages} | options


def said_back(format: str, response: Any) -> list[Any]:
    """What callers append to their list: objects of the client's package, as they are."""
    if format == "anthropic":
        return [{"role": "assistant", "content": response.content}]
    return [response.choices[0].message] if format == "openai-chat" else list(response.output)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def async_client(format: str, server: ProviderServer | str, **options: Any) -> Any:
    kind = anthropic.AsyncAnthropic if format == "anthropic" else openai.AsyncOpenAI
    return kind(api_key="none", base_url=_base_url(format, server), **options)


def tools(format: str) -> list[dict[str, Any]]:
    if format == "anthropic":
        return [{"name": name, "description": name, "input_schema": schema} for name, schema in TOOLS.items()]
    plain = [{"name": name, "description": name, "parameters": schema} for name, schema in TOOLS.items()]
    if format == "openai-chat":
        return [{"type": "function", "function": tool} for tool in plain]
    return [{"type": "function", **tool} for tool in plain]


def output(format: str, id: str, text: str) -> dict[str, Any]:
    if format == "anthropic":
        return user([{"type": "tool_result", "tool_use_id": id, "content": text}])  # type: ignore[arg-type]
    if format == "openai-chat":
        return {"role": "tool", "tool_call_id": id, "content": text}
    return {"type": "function_call_output", "call_id": id, "output": text}


def run_client(
    engine: Engine,
    format: str,
    *,
    is_async: bool = False,
    streams: bool = False,
    work: Work = LONG,
    upstream: Upstream | None = None,
    by_gateway: bool = False,
) -> AgentRun:
    """Runs the agent through a wrapped client, or a plain one and the gateway, with an upstream that takes anything or
    the one that is given.
    """
    run = AgentRun(engine, engine.session("s"), format, work)

    def script(path: str, body: dict[str, Any]) -> Answer:
        return reply(path, run.says(body, last_output(body)), stream=bool(body.get("stream")), number=len(run.requests))

    with provider(upstream.script(run.answer) if upstream else script) as served:
        make = async_client if is_async else client
        if by_gateway:
            with gateway(engine, served.url) as url:
                plain = make(format, url, default_headers={"x-clew-session": "s"}, max_retries=0)
                asyncio.run(_talk(run, plain, upstream, streams=streams, by_gateway=True))
        else:
            wrapped = clew.wrap(make(format, served), session=run.session, budget=work.budget)
            asyncio.run(_talk(run, wrapped, upstream, streams=streams))
    return run


async def _talk(
    run: AgentRun, wrapped: Any, upstream: Upstream | None, *, streams: bool, by_gateway: bool = False
) -> None:
    format, about = run.provider, call_options(upstream) if upstream else {}
    messages: list[Any] = [user(run.user_says())]
    for step in range(1, run.work.steps + 1):
        # The other client is slow with long lists; where reasoning has to stay with its call, they are whole.
        newest = messages if by_gateway or upstream or format == "anthropic" else messages[-20:]
        if by_gateway and format != "anthropic":  # as it is; the client is slow to look through long lists
            name = "messages" if format == "openai-chat" else "input"
            about, newest = about | {"extra_body": about.get("extra_body", {}) | {name: messages}}, []
        if streams:
            response = await read_stream(wrapped, format, newest, tools=tools(format), **about)
        else:
            response = create(wrapped, format, newest, tools=tools(format), **about)
            response = await response if inspect.isawaitable(response) else response
        said = said_back(format, response)
        # Nulls of the helper for streams would be refused; what is not packed goes on as it is.
        messages += (
            [one.model_dump(exclude_none=True) for one in said] if by_gateway and format != "anthropic" else said
        )
        called = next_words(step, "", run.work)
        messages.append(
            output(format, called.id, run.runs(called.tool, called.arguments)) if called.tool else user(run.user_says())
        )


def call_options(upstream: Upstream) -> dict[str, Any]:
    """What a call says beside the conversation, as its client takes it; only Anthropic's knows of thinking."""
    mode = upstream.mode
    if upstream.format == "anthropic":
        return mode.settings | {"model": mode.model, "max_tokens": 2_000, "system": SYSTEM}
    thinking = {name: value for name, value in mode.settings.items() if name == "thinking"}
    known = {name: value for name, value in mode.settings.items() if name != "thinking"}
    return known | {"model": mode.model} | ({"extra_body": thinking} if thinking else {})
