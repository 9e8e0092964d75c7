"""Renders the work map as text for people."""

from __future__ import annotations

from clew.domain.ids import message_id
from clew.history.work_map.view import CommandFacts, FileFacts, WorkMap
from clew.text.terminal import safe
from clew.text.tools.actions import RunResult

_MARKS = {"open": "[ ]", "doing": "[>]", "done": "[x]"}


def render_work_map(work: WorkMap, *, files: int = 40, names: int = 10, commands: int = 12) -> str:
    """Renders the last request, files with their names, commands, and what is left to do."""
    lines = _request(work)
    lines += [f"root {work.root}"] if work.root else []
    for facts in work.files[:files]:
        lines += _file_lines(work, facts, names)
    left = len(work.files) - files
    lines += [f"… and {left} more files seen"] if left > 0 else []
    ran = [facts for facts in work.commands if not facts.looks]
    lines += [_command_line(facts) for facts in ran[:commands]]
    lines += [f"{_MARKS.get(todo.status, '[ ]')} {todo.text}" for todo in work.todos]
    return safe("\n".join(lines))


def _request(work: WorkMap) -> list[str]:
    return [f"asked last ({message_id(work.request_at)}): {' '.join(work.request.split())}"] if work.request else []


def _file_lines(work: WorkMap, facts: FileFacts, names: int) -> list[str]:
    lines = [f"{work.relative_path(facts.path)}: {', '.join(_deeds(facts)) or 'mentioned'}"]
    bound = [name for name in facts.names if name not in facts.symbols][:names]
    if facts.noted[0]:
        lines.append(f"  agent noted {message_id(facts.noted[0])}: {facts.noted[1]}")
    if facts.symbols:
        lines.append(f"  last edit touches {', '.join(facts.symbols[:names])}")
    if bound:
        lines.append(f"  with {', '.join(bound)}")
    if facts.excerpts:
        lines += [f"  | {line}" for line in facts.excerpts[0][1]]
    return lines


def _deeds(facts: FileFacts) -> list[str]:
    notes = []
    if facts.deleted:
        return [f"deleted {message_id(facts.deleted)}"]
    if facts.edits:
        verb = "written" if facts.created and facts.edits == 1 else f"edited {facts.edits}×"
        lines = f" lines {facts.where[0]}–{facts.where[1]}" if facts.where else ""
        notes.append(f"{verb}, last {message_id(facts.edited)}{lines}")
    if facts.reads:
        first, last, read_at = facts.reads[0]
        lines = f" lines {first}–{last}" if last > first else f" from line {first}" if first else ""
        notes.append(f"read {message_id(read_at)}{lines}")
    if not notes and facts.seen:
        notes.append(f"seen {message_id(facts.seen_at)}" + (f" at line {facts.line}" if facts.line else ""))
    return notes


def _command_line(facts: CommandFacts) -> str:
    state = f" → {facts.result}" if facts.result is not RunResult.UNKNOWN else ""
    code = f" (exit {facts.exit_code})" if facts.exit_code is not None else ""
    failing = f"; failing: {', '.join(facts.failing)}" if facts.failing else ""
    return f"$ {facts.command}{state}{code} {message_id(facts.at)}: {facts.line}{failing}"
