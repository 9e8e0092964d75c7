"""Finds what a codec could not read in a message that a caller handed in.

Codecs keep such blocks whole and opaque, since a file must never be refused for one. A caller can be told, and must
be: its words would reach no other provider. Blocks of kinds that a provider has and Clew does not model are fine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from clew.codecs.frameworks import langchain
from clew.codecs.providers import anthropic_blocks, gemini_parts, openai_chat, responses_items
from clew.domain import Json, Message, Opaque, Output, Part
from clew.domain.checks import describe_value

_MOST_NAMES = 5
_CHECKS: dict[str, Callable[[Any], bool]] = {
    anthropic_blocks.NAME: anthropic_blocks.is_malformed,
    openai_chat.NAME: openai_chat.is_malformed,
    responses_items.NAME: partial(responses_items.is_malformed, format=responses_items.NAME),
    responses_items.PIECE: partial(responses_items.is_malformed, format=responses_items.PIECE),
    gemini_parts.NAME: gemini_parts.is_malformed,
    langchain.NAME: lambda block: "type" not in block,
}
#: Members of messages of Ollama, which speaks the Chat API almost.
_OLLAMA = {"images": "images are blocks of the content in the Chat API", "tool_name": "a result needs its tool_call_id"}


def unread_content(message: Message) -> str | None:
    """Returns what of the message was not understood, in words; None where all of it was."""
    for part in message.parts:
        inner = part.content if isinstance(part, Output) and not part.server else ()
        if fault := next(filter(None, map(_fault, (part, *inner))), None):
            return fault
    return _unread_members(message)


def _fault(part: Part) -> str | None:
    if not isinstance(part, Opaque) or part.wire is None:
        return None
    is_malformed = _CHECKS.get(part.wire.format)
    return _describe_block(part.wire.data) if is_malformed is not None and is_malformed(part.wire.data) else None


def _describe_block(data: Any) -> str:
    if isinstance(data, dict) and "role" in data:  # a message that is an item: what is wrong is its first piece
        content = data.get("content")
        data = content[0] if isinstance(content, list) and content else content
    if not isinstance(data, dict):
        return f"{describe_value(data)} is no block of content"
    members = ", ".join(list(map(str, data))[:_MOST_NAMES]) or "nothing"
    if isinstance(kind := data.get("type"), str):
        return f"a block of type {kind!r} is not as that API has it: it has {members}"
    if "function" in data:
        return f"a call has no id that pairs it with its result: it has {members}"
    return f"a block has no type that is known: it has {members}"


def _unread_members(message: Message) -> str | None:
    data = message.wire.data if message.wire is not None and isinstance(message.wire.data, dict) else {}
    if message.wire is None or "role" not in data:
        return None
    members = {"content", "parts"} if message.wire.format == gemini_parts.NAME else {"content"}
    if not message.parts and data.keys().isdisjoint(members):
        return "it has no content"
    if (found := next((name for name in _OLLAMA if name in data), None)) is not None:
        return f"{found} is a member of Ollama's own API: {_OLLAMA[found]}; use its /v1 API"
    return _unread_result(data) if message.wire.format == openai_chat.NAME else None


def _unread_result(data: Json) -> str | None:
    if data["role"] == "tool" and not isinstance(data.get("tool_call_id"), str):
        return "it is a tool's result without the tool_call_id that it answers"
    return None
