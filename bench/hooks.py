"""CPU that what a client starts takes until it has answered: `clew mcp` until its tools are listed, and each hook
where no server runs, in a session of some two hundred messages.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from tests import hook_events

from bench.results import Figure

_ROUNDS, _STEPS = 5, 60
_CLIENT = {"name": "bench", "version": "1"}
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}
_OUTPUT = "\n".join(f"2026-03-01 10:00:00 INFO worker {number} started" for number in range(400))
_PROMPT = "Is the thing with the Latvian invoice numbers such as LV-2207 fixed?"


def run(rounds: int = _ROUNDS, steps: int = _STEPS) -> list[Figure]:
    """Medians of all rounds but the first, in which the store is made."""
    with TemporaryDirectory() as home:
        env = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed modules are compiled
        env |= {"PYTHONPYCACHEPREFIX": f"{home}/compiled"}
        env |= {"HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home, "CLAUDE_CONFIG_DIR": f"{home}/claude"}
        listed = median(_until_listed(env) for _ in range(rounds))
        taken = _hooks(env, rounds, steps)
    figures = [Figure("hooks", "clew mcp, tools listed", listed, "s of CPU", "< 0.7")]
    for name, times in taken.items():
        figures.append(Figure("hooks", f"{name}, no server", median(times[1:] or times), "s of CPU", "< 0.3"))
    return figures


def _until_listed(env: dict[str, str]) -> float:
    """The server is killed as soon as it has listed its tools: it goes on to load what they need."""
    process = subprocess.Popen(_command("mcp"), env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": _HELLO},
        {"id": 2, "method": "tools/list"},
    ]
    process.stdin.writelines(json.dumps({"jsonrpc": "2.0"} | line).encode() + b"\n" for line in lines)
    process.stdin.flush()
    while json.loads(process.stdout.readline())["id"] != 2:
        pass
    process.kill()
    return _waited_for(process)


def _hooks(env: dict[str, str], rounds: int, steps: int) -> dict[str, list[float]]:
    os.environ["CLAUDE_CONFIG_DIR"], before = env["CLAUDE_CONFIG_DIR"], os.environ.get("CLAUDE_CONFIG_DIR")
    try:
        session = hook_events.GrowingSession()
    finally:
        os.environ.pop("CLAUDE_CONFIG_DIR") if before is None else os.environ.update(CLAUDE_CONFIG_DIR=before)
    session.work()
    for number in range(steps):
        session.say(f"The importer chokes on Latvian invoice numbers such as LV-{2200 + number}.")
        session.reply(f"Because the parser strips dashes, part {number} keeps them.")
        session.call("Bash", "ok\n" * 50, command="make test")
    taken: dict[str, list[float]] = {}
    for number in range(rounds):
        for name, event in _events(session, str(number)):
            taken.setdefault(name, []).append(_answered(env, name, event))
    return taken


def _events(session: hook_events.GrowingSession, moment: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The events of a compaction and of what comes after it, as the session goes on."""
    path: Path = session.path
    yield "PreCompact", hook_events.pre_compact(path, prompt_id=moment)
    yield "SubagentStop", hook_events.subagent_stop(path, f"<summary>{hook_events.SUMMARY}</summary>")
    yield "SessionStart", hook_events.session_start(path, "compact", prompt_id=moment)
    yield "PostCompact", hook_events.post_compact(path, prompt_id=moment)
    session.sum_up()
    yield "UserPromptSubmit", hook_events.user_prompt(path, _PROMPT) | {"prompt_id": f"{moment} later"}
    yield "PostToolUse", hook_events.post_tool_use(path, _OUTPUT)


def _answered(env: dict[str, str], name: str, event: dict[str, Any]) -> float:
    command = _command("hook", "claude-code", name)
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    return _waited_for(process)


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "clew.cli", *arguments]


def _waited_for(process: subprocess.Popen[bytes]) -> float:
    """Seconds of CPU that a process has taken, at its end."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime
