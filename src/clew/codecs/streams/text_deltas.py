"""The words for the user in one event of a stream."""

from __future__ import annotations

from typing import Any

from clew.codecs.jsonio import value_at
from clew.domain import Json


def text_delta(event: Json, format: str) -> str:
    """Returns the text that an event adds to the answer; empty for events that add none, such as thoughts and calls."""
    if format == "anthropic":
        delta = value_at(event, "delta")
        return _text(delta) if value_at(delta, "type") == "text_delta" else ""
    if format == "openai-chat":
        content = value_at(event, "choices", 0, "delta", "content")
        return content if isinstance(content, str) else ""
    parts = value_at(event, "candidates", 0, "content", "parts")
    shown = [part for part in parts if value_at(part, "thought") is not True] if isinstance(parts, list) else []
    return "".join(map(_text, shown))


def begins_part(event: Json, format: str) -> bool:
    """Returns whether an event ends the text so far: a new part of the reply begins, or a call stands in it."""
    if format == "anthropic":
        return bool(value_at(event, "type") == "content_block_start")
    if format == "openai-chat":
        return bool(value_at(event, "choices", 0, "delta", "tool_calls"))
    parts = value_at(event, "candidates", 0, "content", "parts")
    return isinstance(parts, list) and any(value_at(part, "functionCall") is not None for part in parts)


def _text(value: Any) -> str:
    found = value_at(value, "text")
    return found if isinstance(found, str) else ""
