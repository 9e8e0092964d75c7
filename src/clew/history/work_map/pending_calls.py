"""Calls that wait for their output: their actions as JSON, with only what will be needed when it comes."""

from __future__ import annotations

from typing import Any

from clew.domain.values import from_json, to_json
from clew.text.tools.actions import Action

#: Text of an edit that is kept meanwhile; what is longer is cut, and only loses lines of its excerpt.
_MAX_TEXT = 40_000

StoredActions = list[dict[str, Any]]


def actions_to_json(actions: tuple[Action, ...]) -> StoredActions:
    """Writes actions as JSON; long texts are cut."""
    return [_clip(to_json(action)) for action in actions]


def _clip(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _clip(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_clip(item) for item in value]
    return value[:_MAX_TEXT] if isinstance(value, str) else value


def actions_from_json(rows: StoredActions) -> tuple[Action, ...]:
    """Reads actions back."""
    return tuple(from_json(Action, row) for row in rows)
