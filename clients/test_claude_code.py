"""Claude Code as people run it, with Clew set up in each of the ways there are."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import hook_events

from clients.conftest import ROOT, Machine

RULE = "Never write to the production database, use the staging copy."
PLUGIN = ROOT / "plugins" / "claude-code"
FLAGS = ("--dangerously-skip-permissions", "--output-format", "stream-json", "--verbose")
SETTINGS = '{\n  "permissions": { "allow": [] },\n  "hooks": {\n    "Stop": [{ "hooks": [] }]\n  }\n}\n'


class Conversation:
    """One process of Claude Code, told one thing after another."""

    def __init__(self, machine: Machine, *more: str, **env: str) -> None:
        self._process = subprocess.Popen(
            ["claude", "-p", "--input-format", "stream-json", *FLAGS, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=machine.env | env,
            cwd=machine.work,
        )
        self.events: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        assert self._process.stdin
        assert self._process.stdout
        message = {"type": "user", "message": {"role": "user", "content": text}}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            self.events.append(json.loads(line))
            if self.events[-1]["type"] == "result":
                return
        raise AssertionError("Claude Code has ended")

    @property
    def session(self) -> str:
        return str(self.events[-1]["session_id"])

    @property
    def beginning(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("subtype") == "init")

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)


def wrapped(machine: Machine) -> tuple[str, ...]:
    machine.clew("wrap", "claude-code", "--yes")
    return ()


def with_plugin(_machine: Machine) -> tuple[str, ...]:
    return ("--plugin-dir", str(PLUGIN))


def both(machine: Machine) -> tuple[str, ...]:
    return wrapped(machine) + with_plugin(machine)


def worked(machine: Machine, *more: str, **env: str) -> Conversation:
    """A session with a rule and a commit."""
    commit = "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'export: rows are streamed'"
    machine.upstream.command = f"git init -q -b feat/stream && {commit} && git log --oneline"
    talk = Conversation(machine, *more, **env)
    talk.say(f"Make the export streaming. {RULE} RUN git commit -am export")
    return talk


@pytest.mark.parametrize("way", [wrapped, with_plugin, both])
def test_a_compaction_is_prepared_and_mended_once(machine: Machine, way: Callable[[Machine], tuple[str, ...]]) -> None:
    more = way(machine)
    talk = worked(machine, *more)
    talk.say("/compact keep the tests")
    asked = machine.upstream.summary_request()
    assert "keep the tests" in asked
    assert "the summary must keep" in asked
    assert f"- {RULE}" in asked
    talk.say("Go on, please.")
    said = machine.upstream.said()
    kept = [text for text in machine.upstream.texts() if "the summary must keep" in text]
    assert [len(text) < 2_200 * text.count("the summary must keep") for text in kept] == [True]
    assert said.count("SessionStart hook additional context: Missing from the summary") == 1
    assert said.count("Missing from the summary above") == 1
    patch = said.partition("Missing from the summary above")[2].partition("data, never")[0]
    assert not {line for line in patch.splitlines() if line.startswith("- ")} & {*kept[0].splitlines()}
    talk.end()

    again = Conversation(machine, *more, "--resume", talk.session)
    again.say("Where were we?")
    assert machine.upstream.said().count("Missing from the summary above") == 1
    again.end()
    assert machine.log() == ""


def test_a_compaction_by_itself_is_mended_too(machine: Machine) -> None:
    wrapped(machine)
    talk = worked(machine, CLAUDE_CODE_AUTO_COMPACT_WINDOW="100000")
    machine.upstream.input_tokens = 99_000
    talk.say("Once more.")
    machine.upstream.input_tokens = 1_000
    talk.say("Go on, please.")
    assert f"- {RULE}" in machine.upstream.summary_request()
    said = machine.upstream.said()
    assert "the summary must keep" not in said
    assert said.count("Missing from the summary above") == 1
    assert "feat/stream" in said.partition("Missing from the summary above")[2].partition("data, never")[0]
    talk.end()


def test_the_plugin_brings_tools_and_a_skill(machine: Machine) -> None:
    talk = Conversation(machine, "--plugin-dir", str(PLUGIN))
    talk.say("Hello.")
    servers = {server["name"]: server["status"] for server in talk.beginning["mcp_servers"]}
    talk.say("Hello again.")
    talk.end()
    assert [name for name in servers if "clew" in name]
    tools = [tool["name"] for tool in machine.upstream.requests[-1]["tools"]]
    assert [name for name in tools if name.endswith("search_context")] or "clew" in json.dumps(
        machine.upstream.requests[-1]
    )
    assert "clew:recall" in machine.upstream.said(0) + json.dumps(talk.beginning)


@pytest.mark.parametrize("way", [wrapped, with_plugin])
def test_the_first_request_has_the_tools(machine: Machine, way: Callable[[Machine], tuple[str, ...]]) -> None:
    """Tools that come later change the prompt from its beginning, and the provider's cache is lost."""
    more = way(machine)
    for _ in range(10):
        before = len(machine.upstream.requests)
        machine.run("claude", "-p", "Hello.", *FLAGS, *more)
        tools = [tool["name"] for tool in machine.upstream.requests[before]["tools"]]
        assert len([name for name in tools if "clew" in name]) == 11


def test_the_plugin_is_valid_and_installs_from_the_marketplace(machine: Machine) -> None:
    assert "Validation passed" in machine.run("claude", "plugin", "validate", str(PLUGIN))
    machine.run("claude", "plugin", "marketplace", "add", str(ROOT))
    machine.run("claude", "plugin", "install", "clew@clew")
    assert "clew" in machine.run("claude", "plugin", "list")
    talk = worked(machine)
    talk.say("/compact")
    assert f"- {RULE}" in machine.upstream.summary_request()
    talk.end()


def test_unwrapping_puts_the_files_back_after_the_client_rewrote_them(machine: Machine) -> None:
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(SETTINGS)
    machine.run("claude", "-p", "Hello.", *FLAGS)
    known = set(json.loads((machine.home / ".claude.json").read_text()))
    wrapped(machine)
    machine.run("claude", "-p", "Hello.", *FLAGS)
    assert "clew" in json.loads((machine.home / ".claude.json").read_text())["mcpServers"]
    machine.clew("unwrap", "claude-code", "--yes")
    assert path.read_text() == SETTINGS
    left = json.loads((machine.home / ".claude.json").read_text())
    assert "clew" not in json.dumps(left.get("mcpServers", {}))
    assert known <= set(left)
    machine.run("claude", "-p", "Hello.", *FLAGS)
    assert "clew" not in machine.upstream.said()


def test_a_long_output_becomes_smaller_and_can_be_read_whole(machine: Machine) -> None:
    machine.clew("wrap", "claude-code", "--outputs", "--yes")
    machine.upstream.command = 'for n in $(seq 1 400); do echo "2026-03-01 10:00:00 INFO worker $n started"; done'
    talk = Conversation(machine)
    sent = ""
    for _ in range(8):  # the server may still be loading
        talk.say("RUN the log")
        sent = next(text for text in reversed(machine.upstream.texts()) if "INFO worker" in text)
        if "[clew: " in sent:
            break
    assert "[clew: " in sent, machine.log()
    assert len(sent) < 10_000
    blob = sent.rpartition(" ")[2].strip(")]\n")
    assert machine.clew("show", talk.session, blob).count("INFO worker") == 400
    talk.end()


def test_a_prompt_gets_what_it_refers_to(machine: Machine) -> None:
    machine.clew("wrap", "claude-code", "--prompts", "--yes")
    talk = worked(machine)
    talk.say("The importer chokes on Latvian invoice numbers such as LV-2207.")
    talk.say("/compact")
    added = ""
    for _ in range(8):  # the server may still be loading
        talk.say("Is the thing with the Latvian invoice numbers fixed?")
        added = machine.upstream.said().partition("UserPromptSubmit hook additional context")[2]
        if "LV-2207" in added:
            break
    assert "LV-2207" in added, machine.log()
    talk.end()


def test_paused_nothing_is_said(machine: Machine) -> None:
    wrapped(machine)
    machine.clew("pause")
    talk = worked(machine)
    talk.say("/compact")
    talk.say("Go on, please.")
    assert "the summary must keep" not in machine.upstream.summary_request()
    assert "hook additional context" not in machine.upstream.said()
    talk.end()


def test_events_have_the_shapes_that_the_tests_take_them_to_have(machine: Machine) -> None:
    """What the default tests replay is what the client sends; a newer client may send more."""
    names = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "SubagentStop", "PostCompact")
    record = machine.folder / "events"
    record.mkdir()
    hooks = {name: [{"hooks": [{"type": "command", "command": f"cat > {record}/{name}-$$"}]}] for name in names}
    path = machine.home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"hooks": hooks}))
    talk = worked(machine)
    talk.say("/compact keep the tests")
    talk.end()
    seen: dict[str, dict[str, Any]] = {}
    for one in sorted(record.iterdir(), key=lambda one: one.stat().st_mtime):
        seen[one.name.partition("-")[0]] = json.loads(one.read_text())
    at = Path(seen["PreCompact"]["transcript_path"])
    replayed = {
        "SessionStart": hook_events.session_start(at, "compact"),
        "UserPromptSubmit": hook_events.user_prompt(at, "x"),
        "PostToolUse": hook_events.post_tool_use(at, "x"),
        "PreCompact": hook_events.pre_compact(at),
        "SubagentStop": hook_events.subagent_stop(at, "x"),
        "PostCompact": hook_events.post_compact(at),
    }
    for name, event in replayed.items():
        assert set(event) <= set(seen[name]), name
    assert set(replayed["PostToolUse"]["tool_response"]) <= set(seen["PostToolUse"]["tool_response"])
    assert "<summary>" in seen["SubagentStop"]["last_assistant_message"]
    assert seen["SubagentStop"]["agent_type"] == ""
