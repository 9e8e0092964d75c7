"""The words for the user in one event of a stream."""

from __future__ import annotations

from typing import Any

from clew.domain import Json


def text_delta(event: Json, format: str) -> str:
    """Returns the text that an event adds to the answer; empty for events that add none, such as thoughts and calls."""
    if format == "anthropic":
        delta = _at(event, "delta")
        return _text(delta) if _at(delta, "type") == "text_delta" else ""
    if format == "openai-chat":
        content = _at(event, "choices", 0, "delta", "content")
        return content if isinstance(content, str) else ""
    parts = _at(event, "candidates", 0, "content", "parts")
    shown = [part for part in parts if _at(part, "thought") is not True] if isinstance(parts, list) else []
    return "".join(map(_text, shown))


def _text(value: Any) -> str:
    found = _at(value, "text")
    return found if isinstance(found, str) else ""


def _at(value: Any, *path: str | int) -> Any:
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value
