"""What a tool returned, as the content of its output: texts and parts, blocks of MCP, and values written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from clew.codecs import jsonio
from clew.codecs.sdk_objects import has_fields
from clew.domain import Json, Media, Part, Status, Text
from clew.errors import UsageError


@dataclass(frozen=True, slots=True)
class ToolContent:
    """The content of an output, and the status that the value itself tells of."""

    parts: tuple[Part, ...]
    status: Status = Status.SUCCESS


def tool_content(value: Any) -> ToolContent:
    """Returns the content that stands for what a tool returned.

    Raises UsageError for what is no text, part, object with fields or JSON.
    """
    if isinstance(value, str):
        return ToolContent((Text(text=value),))
    if isinstance(value, Part):
        return ToolContent((value,))
    if _is_list_of(value, Part):
        return ToolContent(tuple(value))
    if has_fields(value) and isinstance(blocks := getattr(value, "content", None), list | tuple):
        return _mcp_result(value, blocks)
    if isinstance(value, Sequence) and value and all(map(_is_mcp_block, value)):
        return ToolContent(tuple(map(_mcp_part, value)))
    return ToolContent((_json_text(value),))


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(one, kind) for one in value)


# ── results of MCP ───────────────────────────────────────────────────────────────────────────────────


def _mcp_result(value: Any, blocks: Sequence[Any]) -> ToolContent:
    """A result has blocks, and says whether the tool failed; what else has content is written as it is."""
    told = _either(value, "isError", "is_error")
    if told is None or not all(map(_is_mcp_block, blocks)):
        return ToolContent((_json_text(value),))
    data = _either(value, "structuredContent", "structured_content")
    parts = tuple(map(_mcp_part, blocks)) or (() if data is None else (_json_text(data),))
    return ToolContent(parts, Status.FAILED if told else Status.SUCCESS)


def _either(value: Any, *names: str) -> Any:
    """The member under the first of its spellings that is there."""
    return next((getattr(value, name) for name in names if hasattr(value, name)), None)


def _is_mcp_block(block: Any) -> bool:
    return has_fields(block) and isinstance(getattr(block, "type", None), str)


def _mcp_part(block: Any) -> Part:
    """Texts and media of the block or of the resource in it; a block of another kind is written as it is."""
    data = _without_nulls(_members(block))
    held = data.get("resource") if data["type"] == "resource" else data
    if not isinstance(held, dict):
        return _json_text(data)
    if isinstance(text := held.get("text"), str):
        return Text(text=text)
    content, kind = held.get("data", held.get("blob")), held.get("mimeType", "application/octet-stream")
    is_media = isinstance(content, str) and isinstance(kind, str)
    return Media(media_type=kind, data=content, name=held.get("uri")) if is_media else _json_text(data)


def _without_nulls(value: Any) -> Any:
    """A dump has a null for each field that nobody has set."""
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    return value


# ── values ───────────────────────────────────────────────────────────────────────────────────────────


def _json_text(value: Any) -> Text:
    try:
        return Text(text=jsonio.dumps(value, default=_members).decode())
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the output is no text, part or JSON: {error}") from None


def _members(value: Any) -> Json:
    """Members of an object that a JSON writer does not know, under the names that it has in JSON."""
    if not has_fields(value):
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    dumped: Json = value.model_dump(mode="json", by_alias=True)
    return dumped
