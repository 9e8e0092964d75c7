"""The official clients, wrapped: calls in the words of each, and the agent's loop through all of them."""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

import anthropic
import openai

import clew
from clew.engine.engine import Engine
from tests.agent_loops.script import LONG, TOOLS, AgentRun, Work, next_words
from tests.provider_replies import reply
from tests.provider_server import Answer, ProviderServer, provider

PATHS = {"anthropic": "/v1/messages", "openai-chat": "/chat/completions", "openai-responses": "/responses"}


def client(format: str, server: ProviderServer, **options: Any) -> Any:
    """The official client for a format."""
    kind = anthropic.Anthropic if format == "anthropic" else openai.OpenAI
    return kind(api_key="none", base_url=server.url, **options)


def create(client: Any, format: str, messages: list[Any], **options: Any) -> Any:
    """One call, in the words of the client."""
    if format == "anthropic":
        return client.messages.create(model="claude-sonnet-5", max_tokens=100, messages=messages, **options)
    if format == "openai-chat":
        return client.chat.completions.create(model="gpt-5", messages=messages, **options)
    return client.responses.create(model="gpt-5", input=messages, **options)


def said_back(format: str, response: Any) -> list[Any]:
    """What callers append to their list: objects of the client's package, as they are."""
    if format == "anthropic":
        return [{"role": "assistant", "content": response.content}]
    return [response.choices[0].message] if format == "openai-chat" else list(response.output)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def async_client(format: str, server: ProviderServer) -> Any:
    kind = anthropic.AsyncAnthropic if format == "anthropic" else openai.AsyncOpenAI
    return kind(api_key="none", base_url=server.url)


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


def last_output(body: dict[str, Any]) -> str:
    """The newest tool output that the model sees."""
    found = json.dumps(body.get("messages") or body["input"])
    return "tangerine-42" if "tangerine-42" in found[-1000:] else "unknown"


def run_client(engine: Engine, format: str, *, is_async: bool = False, work: Work = LONG) -> AgentRun:
    """Runs the agent through a wrapped client."""
    run = AgentRun(engine, engine.session("s"), format, work)

    def script(path: str, body: dict[str, Any]) -> Answer:
        return reply(path, run.says(body, last_output(body)), stream=False, number=len(run.requests))

    with provider(script) as served:
        made = (async_client if is_async else client)(format, served)
        asyncio.run(_talk(run, format, clew.wrap(made, session=run.session, budget=work.budget)))
    return run


async def _talk(run: AgentRun, format: str, wrapped: Any) -> None:
    messages: list[Any] = [user(run.user_says())]
    for step in range(1, run.work.steps + 1):
        newest = messages if format == "anthropic" else messages[-20:]  # the other client is slow with long lists
        response = create(wrapped, format, newest, tools=tools(format))
        response = await response if inspect.isawaitable(response) else response
        messages += said_back(format, response)
        called = next_words(step, "", run.work)
        messages.append(
            output(format, called.id, run.runs(called.tool, called.arguments)) if called.tool else user(run.user_says())
        )
