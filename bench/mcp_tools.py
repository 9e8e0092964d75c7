"""How long the MCP server takes: from its start to the first answer, for each tool at a million tokens, and to catch up
with a transcript of 5 MB.

Calls go through the official client, within one process; a message is added before each, so that nothing is answered
from memory. The session is named; finding it by its folder is measured by itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import anyio
from mcp import Client

import clew
from bench.data import transcripts
from bench.results import Figure
from bench.warm_packs import grow_session
from clew.assistants.catch_up import CatchUp
from clew.assistants.clients import transcript_at
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.mcp_server.server import make_server
from clew.samples import sample

_LONG, _ROUNDS, _STARTS = 20_000, 20, 5
_TRANSCRIPT_BYTES = 5_000_000
_CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "health": ("get_context_health", {"includeDetails": True}),
    "drift": ("check_drift", {}),
    "critical": ("get_critical_context", {}),
    "mark": ("mark_critical", {"content": "Never push to main.", "type": "constraint"}),
    "story": ("get_story", {}),
    "search": ("search_context", {"query": "which tests failed in the importer"}),
    "search, messages": ("search_context", {"query": "which tests failed in the importer", "kind": "message"}),
    "retrieve, summaries": ("retrieve_context", {"priority": "recent"}),
    "retrieve, mixed": ("retrieve_context", {"priority": "relevant", "format": "mixed"}),
    "retrieve, full": ("retrieve_context", {"conversation_ids": ["x2"], "format": "full"}),
}


def run(long: int = _LONG, rounds: int = _ROUNDS, starts: int = _STARTS) -> list[Figure]:
    """Tools at full length and at a tenth of it, then start and catching up."""
    with TemporaryDirectory() as home:
        with clew.open(Path(home) / "bench.db", person=DEFAULT_USER) as engine:
            sessions = [grow_session(engine, size) for size in (long, max(20, long // 10))]
            large, small = (anyio.run(_times, engine, session, rounds) for session in sessions)
        figures = list(_tool_figures(large, small))
        figures += _start_figures(Path(home) / "bench.db", sessions[0].id, starts)
        return figures + _catch_up_figures(Path(home))


def _tool_figures(large: dict[str, float], small: dict[str, float]) -> Iterator[Figure]:
    for name, taken in large.items():
        yield Figure("mcp", name, taken, f"ms; a tenth of the history {small[name]:.1f}", "< 20")


async def _times(engine: Engine, session: Session, rounds: int) -> dict[str, float]:
    """Milliseconds of each call, the median of all rounds but the first."""
    taken: dict[str, list[float]] = {name: [] for name in (*_CALLS, "health, by folder")}
    folder = Path(f"/srv/{session.id}")
    engine.session(session.id, cwd=str(folder))
    async with Client(make_server(engine, folder=folder), mode="2026-07-28") as client:
        for at in range(rounds + 1):
            for name, times in taken.items():
                tool, arguments = _CALLS.get(name, _CALLS["health"])
                named = {} if name.endswith("by folder") else {"session": session.id}
                _one_more(session, at)
                begin = time.perf_counter()
                result = await client.call_tool(tool, arguments | named)
                times.append((time.perf_counter() - begin) * 1000)
                assert not result.is_error, result.content
    return {name: median(times[1:]) for name, times in taken.items()}


def _one_more(session: Session, at: int) -> None:
    text = f"Part {at} of the importer is done; its limit is {at * 7} rows, and the tests pass."
    session.record([{"role": "user" if at % 2 else "assistant", "content": text}], format="openai-chat")


# ── start ────────────────────────────────────────────────────────────────────────────────────────────


def _start_figures(store: Path, session: str, starts: int) -> list[Figure]:
    times = sorted(_first_call(store, session) for _ in range(starts))
    return [Figure("mcp", "start to first answer", median(times), "s", "< 1")]


def _first_call(store: Path, session: str) -> float:
    """Seconds from the start of the program to the answer of the first call of a tool."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "clew.cli", "mcp", "--store", str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        call = {"name": "get_context_health", "arguments": {"session": session}}
        lines: list[dict[str, Any]] = [
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        ]
        for line in lines:
            process.stdin.write(json.dumps({"jsonrpc": "2.0"} | line).encode() + b"\n")
        process.stdin.flush()
        while json.loads(process.stdout.readline()).get("id") != 2:
            pass
        taken = time.perf_counter() - begin
        process.stdin.close()
    return taken


# ── catching up ──────────────────────────────────────────────────────────────────────────────────────


def _catch_up_figures(home: Path) -> list[Figure]:
    """The largest real session, where there are any; else the sample's lines, many times over."""
    path = home / "claude" / "projects" / "-srv-shop" / "bench.jsonl"
    path.parent.mkdir(parents=True)
    real = sorted(transcripts("claude-code"), key=lambda one: one.stat().st_size)
    path.write_bytes(real[-1].read_bytes()) if len(real) > 1 else _write_copies(path)
    before = os.environ.get("CLAUDE_CONFIG_DIR")
    os.environ["CLAUDE_CONFIG_DIR"] = str(home / "claude")
    try:
        with clew.open(home / "catch-up.db", person=DEFAULT_USER) as engine:
            transcript = transcript_at(path, client="claude-code")
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                CatchUp(engine).catch_up(transcript)
                times.append(time.perf_counter() - begin)
    finally:
        os.environ.pop("CLAUDE_CONFIG_DIR") if before is None else os.environ.update(CLAUDE_CONFIG_DIR=before)
    return [
        Figure("mcp", f"catch up, {path.stat().st_size / 1e6:.1f} MB from nothing", times[0], "s", "< 3"),
        Figure("mcp", "catch up, nothing new", times[1] * 1000, "ms", "< 20"),
    ]


def _write_copies(path: Path) -> None:
    """Each copy has ids of its own, so that all of it is new."""
    lines = [json.loads(line) for line in sample().read_bytes().splitlines()]
    with path.open("wb") as file:
        copy = 0
        while file.tell() < _TRANSCRIPT_BYTES:
            for line in lines:
                message = line.get("message")
                ids = {"id": f"{message['id']}-{copy}"} if isinstance(message, dict) and message.get("id") else {}
                told = {"message": message | ids} if ids else {}
                file.write(json.dumps(line | told | {"uuid": f"{line.get('uuid')}-{copy}"}).encode() + b"\n")
            copy += 1
