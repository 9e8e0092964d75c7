"""Raw session files as deeds in order: what was called, what came back, and what the file itself says of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_REFUSED = re.compile(
    r"(?i)^\s*(?:<tool_use_error>\s*(?:sibling|cancel)|the user doesn't want to|the user rejected|\[request interrupted"
    r"|permission to use .* (?:has been )?denied|permission denied and could not|user (?:declined|rejected|denied)"
    r"|exec_command failed: rejected|aborted\b)"
)
_EXIT = re.compile(
    r"(?i)^(?:Exit code:? |Process exited with code |.*?<exited with exit code |<exit_code>|exit_code: )(-?\d+)", re.M
)
_AIDER_SESSION = re.compile(r"^# aider chat started at .*$", re.M)
_SPECSTORY_CALL = re.compile(
    r'^<tool-use data-tool-type="(\w+)" data-tool-name="([^"]+)"><details>\n(.*?)^</details></tool-use>', re.M | re.S
)


@dataclass(frozen=True, slots=True)
class Deed:
    """A call and what came back. ``exit`` is None where the file does not tell; ``failed`` is the file's own mark."""

    line: int
    tool: str
    given: dict[str, Any] = field(default_factory=dict)
    text: str = ""
    failed: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    cwd: str = ""

    @property
    def command(self) -> str:
        value = self.given.get("command", self.given.get("cmd", ""))
        return value[-1] if isinstance(value, list) and value else value if isinstance(value, str) else ""

    @property
    def refused(self) -> bool:
        return _REFUSED.match(self.text) is not None or bool(self.details.get("interrupted"))

    @property
    def exit(self) -> int | None:
        found = _EXIT.search(self.text[:500]) or _EXIT.search(self.text[-200:])
        return int(found[1]) if found else 1 if self.failed else None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a file says beside calls: ``branch``, ``said`` (a message of the client or a person), ``applied``
    (a file that an assistant without tools says it changed), ``aider-commit``."""

    line: int
    kind: str
    value: str


Event = Deed | Note


def plain(text: str) -> str:
    """Text without colours, every run of blanks one blank."""
    return " ".join(_ANSI.sub("", text).split())


def read_sessions(raw: str, *, name: str) -> list[list[Event]]:
    """The events of each session of a file, as far as it goes."""
    if name.endswith(".md"):
        if _AIDER_SESSION.search(raw):
            return [list(_aider(part)) for part in _AIDER_SESSION.split(raw)[1:]]
        return [list(_specstory(raw))]
    rows = list(_rows(raw))
    if any(row.get("type") in {"response_item", "session_meta"} for _, row in rows[:20]):
        return [list(_codex(rows))]
    if any(str(row.get("type")).startswith("session.") for _, row in rows[:20]):
        return [list(_copilot(rows))]
    return [list(_claude(rows))]


def _rows(raw: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(raw.split("\n"), 1):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield number, row


# ── Claude Code ──────────────────────────────────────────────────────────────────────────────────────


def _claude(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Event]:
    calls: dict[str, dict[str, Any]] = {}
    branch = ""
    for number, row in rows:
        if row.get("gitBranch", branch) != branch:
            branch = row["gitBranch"]
            yield Note(number, "branch", branch)
        message = row.get("message")
        content = message.get("content") if isinstance(message, dict) else row.get("content")
        if isinstance(content, str):
            yield Note(number, "said", content)
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use":
                calls[block["id"]] = block | {"cwd": row.get("cwd") or ""}
            elif block.get("type") == "text":
                yield Note(number, "said", block["text"])
            elif block.get("type") == "tool_result" and (call := calls.pop(block["tool_use_id"], None)):
                details = row.get("toolUseResult")
                yield Deed(
                    number,
                    call["name"],
                    call["input"] if isinstance(call["input"], dict) else {},
                    _text(block.get("content")),
                    bool(block.get("is_error")),
                    details if isinstance(details, dict) else {},
                    call["cwd"],
                )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value.get("content") or value.get("text") or value.get("output") or "")
    return "\n".join(_text(one) for one in value) if isinstance(value, list) else ""


# ── Codex ────────────────────────────────────────────────────────────────────────────────────────────


def _codex(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Event]:
    calls: dict[str, dict[str, Any]] = {}
    for number, row in rows:
        item = row.get("payload") if row.get("type") == "response_item" else None
        if not isinstance(item, dict):
            continue
        if item.get("type") in {"function_call", "custom_tool_call", "local_shell_call"}:
            calls[item.get("call_id", "")] = item
        elif str(item.get("type")).endswith("_call_output") and (call := calls.pop(item.get("call_id", ""), None)):
            text, code = _codex_output(item.get("output"))
            given = _codex_given(call)
            folder = str(given.get("workdir") or "")
            yield Deed(number, call.get("name", "shell"), given, text, failed=bool(code), cwd=folder)


def _codex_given(call: dict[str, Any]) -> dict[str, Any]:
    if "input" in call:
        return {"patch": call["input"]}
    try:
        given = json.loads(call.get("arguments") or "{}")
    except ValueError:
        given = {}
    return given if isinstance(given, dict) else {}


def _codex_output(value: Any) -> tuple[str, int]:
    text = _text(value)
    if text.startswith("{"):
        try:
            told = json.loads(text)
            return str(told["output"]), int(told["metadata"]["exit_code"])
        except (ValueError, KeyError, TypeError):
            return text, 0
    return text, 0


# ── Copilot ──────────────────────────────────────────────────────────────────────────────────────────


def _copilot(rows: list[tuple[int, dict[str, Any]]]) -> Iterator[Event]:
    calls: dict[str, dict[str, Any]] = {}
    for number, row in rows:
        data = row.get("data") or {}
        if branch := (data.get("context") or {}).get("branch"):
            yield Note(number, "branch", branch)
        if row.get("type") == "user.message":
            yield Note(number, "said", _text(data.get("content")))
        for call in data.get("toolRequests") or ():
            calls[call["toolCallId"]] = call
        if row.get("type") == "tool.execution_complete" and (call := calls.pop(data.get("toolCallId", ""), None)):
            given = call.get("arguments")
            failed = data.get("success") is False
            text = _text(data.get("result")) or _text((data.get("error") or {}).get("message"))
            yield Deed(number, call["name"], given if isinstance(given, dict) else {}, text, failed)


# ── Markdown ─────────────────────────────────────────────────────────────────────────────────────────


def _aider(part: str) -> Iterator[Event]:
    lines = part.split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith("> Test Script: "):
            command = line.removeprefix("> Test Script: ").strip().rstrip(";")
            yield from _aider_run(number, command, lines[number:])
        elif line.startswith("> Applied edit to "):
            yield Note(number, "applied", line.removeprefix("> Applied edit to ").strip())
        elif found := re.match(r"> Commit ([0-9a-f]{7,40}) (.*)", line):
            yield Note(number, "aider-commit", f"{found[1]} {found[2].strip()}")


def _aider_run(number: int, command: str, after: list[str]) -> Iterator[Deed]:
    """A test that aider ran by itself: what it printed is quoted, up to the question whether to mend it. Where the file
    ends before the run did, nobody knows how it ended, unless a test had failed."""
    told = list(takewhile(lambda line: line.startswith(">") and "Attempt to fix" not in line, after))
    text = "\n".join(line.removeprefix(">").removeprefix(" ").removesuffix("  ") for line in told)
    is_failed = re.search(r"Return Code: [1-9]|^>{5} Some Tests Failed|^FAILED \S", text, re.M) is not None
    if is_failed or "Return Code: 0" in text:
        yield Deed(number, "shell", {"command": command}, text, failed=is_failed)


def _specstory(raw: str) -> Iterator[Event]:
    for found in _SPECSTORY_CALL.finditer(raw):
        body, line = found[3], raw.count("\n", 0, found.end()) + 1
        blocks = re.findall(r"^```\w*\n(.*?)\n?^```$", body, re.M | re.S)
        quoted = re.search(r"^ ?`([^`\n].*?)`$", body, re.M | re.S)
        path = re.search(r"^ ?`([^`\n]+)`$", re.split(r"^```", body, maxsplit=1, flags=re.M)[0], re.M)
        text = blocks[-1] if blocks else ""
        given: dict[str, Any] = {}
        if found[1] == "shell":
            fenced = re.search(r"^```(?:bash|sh|shell|zsh)\n(.*?)\n^```$", body, re.M | re.S)
            given["command"] = fenced[1] if fenced else quoted[1] if quoted else ""
        elif found[2] == "TaskCreate":
            given["subject"] = body.split("</summary>", 1)[-1].split("```")[0].strip()
        elif found[2] in {"TaskUpdate", "TodoWrite"}:
            given["body"] = body
        else:
            named = path[1] if path else ""
            named = named or next(iter(re.findall(r"(?:at:?|file) (/\S+?)(?: |$)", text)), "")
            given["file_path"] = named
        yield Deed(line, found[2], given, text, "<tool_use_error>" in text or text.startswith("Exit code "))
