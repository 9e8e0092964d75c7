"""Events of hooks as Claude Code 2.1 and Codex 0.166 send them, and a session that grows between them.

The shapes were taken from the real clients (`make clients` records them anew); what is said in them was written here.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.assistant_files import WORK, claude_line, written

SESSION = "6f1d2c3b-0000-4000-8000-00000000c1ew"
SUMMARY = "1. Primary Request: make the export streaming. 2. All tests pass and everything is done."
RULE = "Never write to the production database, use the staging copy."
COMMIT = "[feat/stream-export 4be91d7] export: rows are streamed\n 2 files changed, 40 insertions(+)\n"


def claude_event(path: Path, name: str, **more: Any) -> dict[str, Any]:
    """What every event of Claude Code has."""
    about = {"session_id": path.stem, "transcript_path": str(path), "cwd": WORK, "hook_event_name": name}
    return about | {"prompt_id": "4765718f-9982-4e5a-a20f-3eee2a539d26"} | more


def pre_compact(path: Path, **more: Any) -> dict[str, Any]:
    return claude_event(path, "PreCompact", **({"trigger": "manual", "custom_instructions": "keep the tests"} | more))


def subagent_stop(path: Path, said: str, *, agent_type: str = "", **more: Any) -> dict[str, Any]:
    own = {
        "permission_mode": "default",
        "agent_id": "a88273adc7520000a",
        "agent_type": agent_type,
        "effort": {"level": "high"},
        "stop_hook_active": False,
        "agent_transcript_path": str(path.with_suffix("") / "subagents" / "agent-a88273adc7520000a.jsonl"),
        "last_assistant_message": said,
        "background_tasks": [],
        "session_crons": [],
    }
    return claude_event(path, "SubagentStop", **(own | more))


def session_start(path: Path, source: str, **more: Any) -> dict[str, Any]:
    """Only a start after a compaction belongs to a prompt."""
    event = claude_event(path, "SessionStart", source=source, **more)
    if source == "compact":
        return event | {"model": "claude-opus-4-8"}
    return {key: value for key, value in event.items() if key != "prompt_id"}


def post_compact(path: Path, **more: Any) -> dict[str, Any]:
    said = f"<analysis>x</analysis><summary>{SUMMARY}</summary>"
    return claude_event(path, "PostCompact", **({"trigger": "manual", "compact_summary": said} | more))


def user_prompt(path: Path, prompt: str, **more: Any) -> dict[str, Any]:
    return claude_event(path, "UserPromptSubmit", permission_mode="default", prompt=prompt, **more)


def post_tool_use(path: Path, stdout: str, *, command: str = "make test", **more: Any) -> dict[str, Any]:
    own = {
        "permission_mode": "default",
        "effort": {"level": "high"},
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "run it"},
        "tool_response": {
            "stdout": stdout,
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        },
        "tool_use_id": "toolu_9",
        "duration_ms": 12,
    }
    return claude_event(path, "PostToolUse", **(own | more))


def codex_event(path: Path, name: str, **more: Any) -> dict[str, Any]:
    session = path.stem.rpartition("T10-00-00-")[2]
    about = {"session_id": session, "transcript_path": str(path), "cwd": WORK, "hook_event_name": name}
    return about | {"model": "gpt-5-codex", "permission_mode": "default"} | more


STATUS: dict[str, Any] = {
    "session_id": SESSION,
    "transcript_path": "",
    "cwd": WORK,
    "prompt_id": "9476688b-088b-4d27-85f1-e7ab5758d77b",
    "effort": {"level": "high"},
    "model": {"id": "claude-opus-4-8[1m]", "display_name": "Opus 4.8 (1M context)"},
    "workspace": {"current_dir": WORK, "project_dir": WORK, "added_dirs": []},
    "version": "2.1.197",
    "output_style": {"name": "default"},
    "cost": {"total_cost_usd": 0.0165, "total_duration_ms": 6321, "total_api_duration_ms": 300},
    "context_window": {
        "total_input_tokens": 62_000,
        "total_output_tokens": 20,
        "context_window_size": 200_000,
        "current_usage": {
            "input_tokens": 2_000,
            "output_tokens": 20,
            "cache_creation_input_tokens": 10_000,
            "cache_read_input_tokens": 50_000,
        },
        "used_percentage": 31,
        "remaining_percentage": 69,
    },
    "exceeds_200k_tokens": False,
    "fast_mode": False,
    "thinking": {"enabled": True},
}


@dataclass
class GrowingSession:
    """A session of Claude Code at work; each step adds lines to its file."""

    session: str = SESSION
    steps: int = 0
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects" / "-srv-shop" / f"{self.session}.jsonl"
        written(self.path, [])

    def add(self, *lines: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.writelines(json.dumps(line).encode() + b"\n" for line in lines)

    def say(self, text: str) -> None:
        self.steps += 1
        self.add(self._line(text))

    def reply(self, text: str, *, thinking: str = "", usage: dict[str, int] | None = None) -> None:
        """Words of the agent, after its thinking, with what the provider counted."""
        self.steps += 1
        thought = [{"type": "thinking", "thinking": thinking, "signature": "x"}] if thinking else []
        said = [*thought, {"type": "text", "text": text}]
        message = {"id": f"msg_{self.steps}", "role": "assistant", "model": "claude-opus-4-8", "content": said}
        self.add(self._line("", role="assistant", message=message | ({"usage": usage} if usage else {})))

    def call(self, name: str, output: Any, **arguments: Any) -> None:
        """A call of a tool and what it gave back."""
        self.steps += 1
        id = f"toolu_{self.steps}"
        asked = [{"type": "tool_use", "id": id, "name": name, "input": arguments}]
        message = {"id": f"msg_{self.steps}", "role": "assistant", "model": "claude-opus-4-8", "content": asked}
        given = [{"type": "tool_result", "tool_use_id": id, "content": output}]
        self.add(self._line("", role="assistant", message=message))
        self.steps += 1
        self.add(self._line("", message={"role": "user", "content": given}))

    def work(self, rounds: int = 3) -> None:
        """Requests, a rule, edits, a failing test and a commit."""
        self.say(f"Make the export streaming. {RULE}")
        for number in range(rounds):
            path = f"/srv/shop/export/part_{number}.py"
            self.call("Edit", "The file has been updated.", file_path=path, old_string="a = 1", new_string="a = 2")
            self.call(
                "Bash", f"FAILED tests/test_export.py::test_{number}\n1 failed, 3 passed in 0.12s", command="pytest -q"
            )
        self.call("Bash", COMMIT, command="git commit -am 'export: rows are streamed'")

    def sum_up(self, text: str = SUMMARY) -> None:
        """The lines that Claude Code writes after a compaction."""
        self.steps += 1
        mark = {"compactMetadata": {"trigger": "manual", "preTokens": 1000}, "content": "Conversation compacted"}
        self.add(self._line("", role="system") | mark | {"subtype": "compact_boundary", "message": None})
        said = f"This session is being continued from a previous conversation that ran out of context.\n{text}"
        self.add(self._line(said, isCompactSummary=True, isVisibleInTranscriptOnly=True))

    def keep_addition(self, text: str) -> None:
        """The line in which Claude Code keeps what a hook added."""
        self.steps += 1
        about = {"type": "hook_additional_context", "content": [text], "hookName": "SessionStart"}
        line = self._line("", role="attachment") | {"attachment": about | {"hookEvent": "SessionStart"}}
        self.add({key: value for key, value in line.items() if key != "message"})

    def _line(self, text: str, **more: Any) -> dict[str, Any]:
        line = claude_line(text, session=self.session, **more)
        return line | {"uuid": f"{self.session}-{self.steps}-{line['type']}"}
