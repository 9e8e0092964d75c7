"""To-do lists, plans and tasks, in the ways assistants write them."""

from __future__ import annotations

import re
from typing import Any

from clew.text.tools.actions import Action, ActionKind, Todo
from clew.text.tools.arguments import TODOS, Arguments, by_plain_name, first_text

_STATUSES = {
    "completed": "done", "complete": "done", "done": "done", "x": "done", "finished": "done",
    "in_progress": "doing", "inprogress": "doing", "in-progress": "doing", "doing": "doing", "active": "doing",
    "current": "doing", "-": "doing", "cancelled": "dropped", "canceled": "dropped", "deleted": "dropped",
}  # fmt: skip


def todos_of(given: Arguments) -> tuple[Todo, ...]:
    for name in TODOS:
        value = given.get(name)
        if isinstance(value, str):
            return tuple(todo for todo in map(_checkbox, value.split("\n")) if todo)
        if isinstance(value, list):
            return tuple(todo for todo in map(_todo, value) if todo)
    return ()


_CHECKBOX = re.compile(r"(?:[-*]|\d{1,3}\.)?[ \t]{0,4}\[([ xX~/-])\][ \t]{0,4}(\S.*)")


def _checkbox(line: str) -> Todo | None:
    match = _CHECKBOX.match(line.strip())
    if match is None:
        return None
    status = {" ": "open", "x": "done", "X": "done"}.get(match[1], "doing")
    return Todo(match[2].strip(), status)


def _todo(value: Any) -> Todo | None:
    if isinstance(value, str):
        return _checkbox(value) or Todo(value, "open")
    if not isinstance(value, dict):
        return None
    arguments = by_plain_name(value)
    text = first_text(arguments, ("content", "step", "title", "subject", "text", "task", "description", "name"))
    return Todo(text, _status(arguments), str(arguments.get("id") or "")) if text else None


def _status(arguments: Arguments) -> str:
    if arguments.get("done") is True or arguments.get("completed") is True:
        return "done"
    return _STATUSES.get(str(arguments.get("status") or arguments.get("state") or "").lower(), "open")


def created_todo(given: Arguments) -> list[Action]:
    text = first_text(given, ("subject", "title", "description", "content")) or ""
    return [Action(kind=ActionKind.TODO, todos=(Todo(text, "open"),), partial=True)]


def updated_todo(given: Arguments) -> list[Action]:
    text = first_text(given, ("subject", "title")) or ""
    status = _status(given) if "status" in given else ""
    return [Action(kind=ActionKind.TODO, todos=(Todo(text, status, str(given.get("taskid") or "")),), partial=True)]
