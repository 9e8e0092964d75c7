"""The gateway is taken away in mid-session: what `clew handback` gives is enough to go on without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest

import clew
from clew.domain.sessions import DEFAULT_USER
from tests.agent_loops.clients import run_client, tools
from tests.agent_loops.script import REQUEST, SHORT, AgentRun
from tests.journeys.program import Program
from tests.provider_server import provider
from tests.strict_reasoning import upstream
from tests.strict_upstream import MODES, StrictUpstream, Upstream

Json = dict[str, Any]
QUESTION = "The gateway is gone. Go on: what is the code word of the release?"


def worked(program: Program, strict: Upstream) -> AgentRun:
    """A session through the gateway, two epochs and more after it was told a fact."""
    with clew.open(program.store, settings={"gateway.max_tokens": SHORT.budget}, person=DEFAULT_USER) as engine:
        run = run_client(engine, strict.format, work=SHORT, upstream=strict, by_gateway=True)
    assert len(run.starts) > 2
    assert strict.refused == []
    return run


def go_on(strict: Upstream, run: AgentRun, items: list[Json]) -> Json:
    """Sends what a client has, straight to the provider; returns the request, which is taken."""
    name = "messages" if strict.format == "anthropic" else "input"
    body = dict(run.requests[-1]) | {name: items, "tools": tools(strict.format)}
    with provider(strict.script(run.answer)) as served:
        reply = httpx2.post(f"{served.url}{strict.path}", json=body)
    assert (reply.status_code, strict.refused) == (200, [])
    return body


def in_transcript(path: Path) -> list[Json]:
    """The messages that Claude Code finds in its file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [line["message"] for line in lines if line["type"] in {"user", "assistant"}]


def in_rollout(path: Path) -> list[Json]:
    """The items that Codex finds in its file; a summary is the user's first message."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    items = {"response_item": lambda one: one, "compacted": lambda one: asked("openai-responses", one["message"])}
    return [items[line["type"]](line["payload"]) for line in lines if line["type"] in items]


def asked(format: str, text: str) -> Json:
    kind = "text" if format == "anthropic" else "input_text"
    return {"role": "user", "content": [{"type": kind, "text": text}]}


#: A client's name, what is as strict as its provider, and what reads its files.
CLIENTS = [
    pytest.param("claude-code", lambda: StrictUpstream(MODES[0]), in_transcript, id="claude-code"),
    pytest.param("codex", lambda: upstream("responses, sealed"), in_rollout, id="codex"),
]


@pytest.mark.parametrize(("client", "make", "read"), CLIENTS)
def test_a_client_goes_on_without_the_gateway(clew_program: Program, client: str, make: Any, read: Any) -> None:
    strict = make()
    run = worked(clew_program, strict)
    whole = len(json.dumps(run.requests))

    prompt = clew_program("handback", "s", "--to", client)
    assert prompt.code == 0, prompt.err
    body = go_on(strict, run, [asked(strict.format, f"{prompt.out}\n\n{QUESTION}")])
    assert "tangerine-42" in prompt.out
    assert REQUEST in prompt.out
    assert len(json.dumps(body)) < 40_000 < whole

    path = clew_program.folder / "handed.jsonl"
    done = clew_program("handback", "s", "--to", client, "--out", path, "--budget", str(SHORT.budget))
    assert done.code == 0, done.err
    items = read(path)
    body = go_on(strict, run, [*items, asked(strict.format, QUESTION)])
    said = json.dumps(body)
    assert "tangerine-42" in said
    assert REQUEST in said
    assert f"src/part_{SHORT.steps - 1}.py" in said
    assert len(said) < 40_000
