"""Calls that wait for their output: their actions as JSON, with only what will be needed when it comes."""

from __future__ import annotations

from typing import Any

from clew.text.tools.actions import Action, ActionKind, Restore, TextEdit, Todo

#: Text of an edit that is kept meanwhile; what is longer is cut, and only loses lines of its excerpt.
_MAX_TEXT = 40_000

StoredActions = list[dict[str, Any]]


def actions_to_json(actions: tuple[Action, ...]) -> StoredActions:
    """Writes actions as JSON; long texts are cut."""
    return [_to_json(action) for action in actions]


def _to_json(action: Action) -> dict[str, Any]:
    row: dict[str, Any] = {"deed": action.kind.value}
    texts = ("path", "command", "pattern", "session", "target", "restore", "folder")
    row |= {name: value[:_MAX_TEXT] for name in texts if (value := getattr(action, name))}
    if action.lines:
        row["lines"] = list(action.lines)
    if action.changes:
        row["changes"] = [[change.old[:_MAX_TEXT], change.new[:_MAX_TEXT]] for change in action.changes]
    if action.content is not None:
        row["content"] = action.content[:_MAX_TEXT]
    if action.todos:
        row["todos"] = [[todo.text, todo.status, todo.id] for todo in action.todos]
    return row | {name: True for name in ("partial", "leads") if getattr(action, name)}


def actions_from_json(rows: StoredActions) -> tuple[Action, ...]:
    """Reads actions back."""
    return tuple(_from_json(row) for row in rows)


def _from_json(row: dict[str, Any]) -> Action:
    lines = row.get("lines")
    return Action(
        kind=ActionKind(row["deed"]),
        path=row.get("path", ""),
        lines=(lines[0], lines[1]) if lines else None,
        changes=tuple(TextEdit(old, new) for old, new in row.get("changes", ())),
        content=row.get("content"),
        command=row.get("command", ""),
        pattern=row.get("pattern", ""),
        todos=tuple(Todo(*todo) for todo in row.get("todos", ())),
        partial=row.get("partial", False),
        session=row.get("session", ""),
        target=row.get("target", ""),
        leads=row.get("leads", False),
        restore=Restore(row["restore"]) if "restore" in row else None,
        folder=row.get("folder", ""),
    )
