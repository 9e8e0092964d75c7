"""CPU that what a client starts takes until it has answered: `clew mcp` until its tools are listed, and each hook
where no server runs, in a session of some two hundred messages; answered by the process that the first hook starts,
and alone, where none may be started. How long a client waits is told beside it.
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
from typing import Any, NamedTuple

from tests import hook_events

from bench.results import Figure

_ROUNDS, _STEPS = 5, 60
_CLIENT = {"name": "bench", "version": "1"}
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _CLIENT}
_OUTPUT = "\n".join(f"2026-03-01 10:00:00 INFO worker {number} started" for number in range(400))
_PROMPT = "Is the thing with the Latvian invoice numbers such as LV-2207 fixed?"


def run(rounds: int = _ROUNDS, steps: int = _STEPS) -> list[Figure]:
    """Medians of all rounds but the first, in which the store is made and the process that answers is started."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:  # that process may still be leaving
        env = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # installed modules are compiled
        env |= {"PYTHONPYCACHEPREFIX": f"{home}/compiled"}
        listed = median(_until_listed(_in_folder(env, f"{home}/mcp")) for _ in range(rounds))
        alone = _hooks(_in_folder(env, f"{home}/alone") | {"CLEW_HOOKS__LISTENER_MINUTES": "0"}, rounds, steps)
        shared = _in_folder(env, f"{home}/shared")
        asked = _hooks(shared, rounds, steps)
        subprocess.run(_command("pause"), env=shared, stdout=subprocess.DEVNULL, check=True)
    figures = [Figure("hooks", "clew mcp, tools listed", listed, "s of CPU", "< 0.7")]
    for name, taken in asked.items():
        figures.append(Figure("hooks", f"{name}, no server", _cpu(taken), "s of CPU", "< 0.3"))
        figures.append(Figure("hooks", f"{name}, no server, until answered", _waited(taken), "s", "< 0.5"))
    first = next(iter(asked.values()))[0]
    figures.append(Figure("hooks", "first hook, no server", first.cpu, "s of CPU", "< 0.3"))
    figures.append(Figure("hooks", "first hook, no server, until answered", first.seconds, "s", "< 3"))
    figures += [Figure("hooks", f"{name}, alone", _cpu(taken), "s of CPU", "< 1.5") for name, taken in alone.items()]
    return figures


class _Taken(NamedTuple):
    """What one hook has taken: seconds of its CPU, and seconds until its end."""

    cpu: float
    seconds: float


def _cpu(taken: list[_Taken]) -> float:
    return median(one.cpu for one in taken[1:] or taken)


def _waited(taken: list[_Taken]) -> float:
    return median(one.seconds for one in taken[1:] or taken)


def _in_folder(env: dict[str, str], folder: str) -> dict[str, str]:
    Path(folder).mkdir(exist_ok=True)
    own = {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/claude"}
    return env | own


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


def _hooks(env: dict[str, str], rounds: int, steps: int) -> dict[str, list[_Taken]]:
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
    taken: dict[str, list[_Taken]] = {}
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


def _answered(env: dict[str, str], name: str, event: dict[str, Any]) -> _Taken:
    command, began = _command("hook", "claude-code", name), time.perf_counter()
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin
    process.stdin.write(json.dumps(event).encode())
    process.stdin.close()
    return _Taken(_waited_for(process), time.perf_counter() - began)


def _command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "clew.cli", *arguments]


def _waited_for(process: subprocess.Popen[bytes]) -> float:
    """Seconds of CPU that a process has taken, at its end."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime
