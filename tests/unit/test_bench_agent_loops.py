"""The bench of agent loops counts what goes wrong, and measures only what adapters do."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from bench import agent_loops
from bench.__main__ import BENCHES

from clew.adapters.conversation import Conversation
from clew.engine.engine import Engine
from tests.agent_loops.script import AgentRun

ORPHAN = {"role": "tool", "tool_call_id": "nobody", "content": "asked"}


def loop(engine: Engine) -> AgentRun:
    """Three calls, of which the second sends another request that no provider takes; the user's last words are lost."""
    run = AgentRun(engine, engine.session("s"), "openai-chat")
    conversation = Conversation(run.session, format="openai-chat", budget=4_000)
    messages = [{"role": "user", "content": run.user_says()}]
    for at in range(3):
        body = conversation.pack(messages).request()
        said = run.says(body | {"messages": [ORPHAN]} if at == 1 else body, "")
        reply = {"role": "assistant", "content": said.text or json.dumps(said.arguments)}
        conversation.reply(reply)
        messages += [reply, {"role": "user", "content": run.user_says()}]
    return run


def test_what_goes_wrong_in_a_loop_is_counted() -> None:
    found = {(figure.name, figure.unit): figure.value for figure in agent_loops.judge("loop", loop)}
    counted = [value for (name, _), value in found.items() if not name.startswith("added")]
    assert counted == [3, 1, 1, 2, False]
    assert 0 < found["added to a call, median", "ms; CPU"] <= found["added to a call, p95", "ms; CPU"]


def test_every_adapter_has_a_loop() -> None:
    for package in ("anthropic", "openai", "langchain", "pydantic_ai", "agents"):
        pytest.importorskip(package)
    clients = [
        f"wrap {format}{how}" for format in ("anthropic", "openai-chat", "openai-responses") for how in ("", ", async")
    ]
    frameworks = ["LangChain", "Pydantic AI", "OpenAI Agents", *["Google ADK"] * bool(find_spec("google.adk"))]
    assert list(agent_loops.loops()) == [*clients, *frameworks]
    assert BENCHES["agent_loops"] is agent_loops.run
