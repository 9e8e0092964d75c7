"""Content blocks of the Anthropic Messages API, as its requests and several session files have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.codecs.fields import count_of, expect_text, object_of, text_or_none
from clew.codecs.providers.conversion import text_as_data
from clew.domain import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Usage, Wire

NAME = "anthropic"
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def read_part(block: Any) -> Part:
    """One content block; what is not modelled stays opaque and whole."""
    if isinstance(block, str):
        return Text(text=block, wire=Wire(NAME, block))
    if not isinstance(block, dict):
        return Opaque(kind=type(block).__name__, wire=Wire(NAME, block))
    try:
        return _read_known(block)
    except (KeyError, TypeError):
        return _opaque(block)


def is_malformed(block: Any) -> bool:
    """True for what is no block at all, and for one of a kind that is read here which lacks what such a block has."""
    if not isinstance(block, dict) or not isinstance(block.get("type"), str):
        return True
    try:
        _read_known(block)
    except (KeyError, TypeError):
        return True
    return False


def _read_known(block: Json) -> Part:
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None and isinstance(kind, str) and kind.endswith("_tool_result"):
        reader = _server_output
    return reader(block) if reader else _opaque(block)


def _opaque(block: Json) -> Part:
    return Opaque(kind=str(block.get("type", "")), wire=Wire(NAME, block))


def _text(block: Json) -> Part:
    return Text(text=expect_text(block["text"]), wire=Wire(NAME, block))


def _call(block: Json) -> Part:
    id, name, wire = expect_text(block["id"]), expect_text(block["name"]), Wire(NAME, block)
    if block["type"] == "tool_use":
        return Call(id=id, name=name, arguments=block["input"], wire=wire)
    return Call(id=id, name=name, arguments=block.get("input"), server=True, wire=wire)


def _output(block: Json) -> Part:
    status = Status.FAILED if block.get("is_error") else Status.SUCCESS
    content = tuple(map(_inner, read_content(block.get("content"))))
    return Output(call_id=expect_text(block["tool_use_id"]), content=content, status=status, wire=Wire(NAME, block))


def _inner(part: Part) -> Part:
    """Outputs hold no calls, outputs or reasoning of their own; where a block says so, it stays opaque."""
    if isinstance(part, Text | Media | Opaque) or part.wire is None:
        return part
    return _opaque(part.wire.data)


def _server_output(block: Json) -> Part:
    content = (Opaque(kind=str(block["type"]), wire=Wire(NAME, block.get("content"))),)
    return Output(call_id=expect_text(block["tool_use_id"]), content=content, server=True, wire=Wire(NAME, block))


def _thinking(block: Json) -> Part:
    seal = text_or_none(block.get("signature"))
    return Reasoning(text=expect_text(block["thinking"]), seal=seal, wire=Wire(NAME, block))


def _read_redacted(block: Json) -> Part:
    return Reasoning(seal=expect_text(block["data"]), wire=Wire(NAME, block))


def _media(block: Json) -> Part:
    source = block["source"]
    kind = source["type"]
    if kind not in {"base64", "url", "text"}:
        return _opaque(block)
    data = expect_text(source["data"]) if kind != "url" else None
    return Media(
        media_type=text_or_none(source.get("media_type")) or str(block["type"]),
        data=text_as_data(data) if kind == "text" and data is not None else data,
        url=expect_text(source["url"]) if kind == "url" else None,
        name=text_or_none(block.get("title")),
        wire=Wire(NAME, block),
    )


_READERS: dict[str, Callable[[Json], Part]] = {
    "text": _text,
    **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use"), _call),
    "tool_result": _output,
    "thinking": _thinking,
    "redacted_thinking": _read_redacted,
    "image": _media,
    "document": _media,
}


def read_content(content: Any) -> tuple[Part, ...]:
    """Content as the API allows it: nothing, a text, or a list of blocks."""
    if content is None:
        return ()
    return tuple(map(read_part, content if isinstance(content, list) else [content]))


def read_usage(usage: Any) -> Usage | None:
    """Usage with cached tokens counted as input, as they fill the window all the same."""
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return None
    fresh, out, read, write = [count_of(usage, name) for name in _COUNTS]
    hour = count_of(object_of(usage, "cache_creation"), "ephemeral_1h_input_tokens")
    return Usage(fresh + read + write, out, read, write, min(hour, write))
