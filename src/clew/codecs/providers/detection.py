"""Which of the providers' formats a file is written in, judged by what stands at its beginning.

The head of a file may be cut anywhere. It is read as the JSON it would be if it were closed there, and
then the messages in it are looked at, wherever the file keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import LISTS
from clew.codecs.jsonio import BOM
from clew.codecs.sources import HEAD_BYTES
from clew.codecs.truncated_json import parse_truncated
from clew.domain import Json

_MOST_MESSAGES = 50

_ROLES = {"user", "assistant", "system", "developer", "tool", "function"}
_CHAT_ROLES = {"tool", "function"}
_CHAT_FIELDS = {"tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content"}
_CHAT_BLOCKS = {"image_url", "input_audio"}
_ANTHROPIC_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
_RESPONSES_PIECES = {"input_text", "output_text", "input_image", "input_file"}
_RESPONSES_ITEMS = {
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "computer_call",
    "computer_call_output",
    "web_search_call",
    "file_search_call",
    "image_generation_call",
    "code_interpreter_call",
    "item_reference",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "compaction",
    "reasoning",
}
_GEMINI_PARTS = {
    "text",
    "thought",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "executableCode",
    "function_call",
    "function_response",
    "inline_data",
    "file_data",
}


@dataclass(frozen=True, slots=True)
class _Head:
    """What was found: the objects around the messages, the names they keep them under, and the messages."""

    around: list[Json] = field(default_factory=list)
    lists: set[str] = field(default_factory=set)
    messages: list[Json] = field(default_factory=list)


def looks_like(format: str, head: bytes) -> bool:
    """Is this the head of a file in that one of the four formats?"""
    return _format_of(_find_messages(head[:HEAD_BYTES])) == format


def format_of_response(data: Any) -> str | None:
    """The API whose whole response this is; None for anything else."""
    if not isinstance(data, dict):
        return None
    if data.get("type") == "message" and data.get("role") == "assistant" and isinstance(data.get("content"), list):
        return "anthropic" if "stop_reason" in data else None
    lists = {"choices": "openai-chat", "output": "openai-responses", "candidates": "gemini"}
    if "role" in data or "type" in data:
        return None
    return next((format for name, format in lists.items() if isinstance(data.get(name), list)), None)


def format_of_message(data: Any) -> str | None:
    """The API whose message or item this is; None where it shows no sign of one."""
    if not _is_named(data):
        return None
    if _is_content(data) or (data.get("role") == "model" and "content" in data):
        return "gemini"
    if _is_item(data):
        return "openai-responses"
    if data.get("role") not in _ROLES:
        return None
    if data["role"] in _CHAT_ROLES or _CHAT_FIELDS & data.keys() or any(map(_is_chat_block, _blocks(data))):
        return "openai-chat"
    return "anthropic" if _is_anthropic(data) else None


def is_message(data: Json) -> bool:
    """True for a role and its content, which most APIs share."""
    return _is_named(data) and data.get("role") in _ROLES and "content" in data


def format_of_content(pieces: Sequence[Any]) -> str | None:
    """The API whose message has these as its content; None where they are not pieces of one message."""
    found = [piece for piece in pieces if isinstance(piece, dict)]
    if not found or any("role" in piece for piece in found):
        return None
    if all("type" not in piece and _GEMINI_PARTS & piece.keys() for piece in found):
        return "gemini"
    kinds = {piece.get("type") if isinstance(piece.get("type"), str) else "" for piece in found}
    return "anthropic" if kinds <= _ANTHROPIC_BLOCKS | {"text"} else None


def _is_chat_block(block: Json) -> bool:
    return block.get("type") in _CHAT_BLOCKS


def _format_of(head: _Head) -> str | None:
    """Signs that only one format has come first; a conversation of plain texts is taken for chat."""
    if "contents" in head.lists or any(map(_is_content, head.messages)):
        return "gemini"
    if "input" in head.lists or any(map(_is_item, head.messages)) or any(map(_asks_in_one_text, head.around)):
        return "openai-responses"
    if not _are_messages(head):
        return None
    return _chat_or_anthropic(head)


def _are_messages(head: _Head) -> bool:
    """All have a role that is known; the last one may be cut off before it comes to that."""
    if not head.messages:
        return False
    *whole, last = head.messages
    if "role" not in last and (whole or (head.lists and last.keys() <= {"content"})):
        return all(message.get("role") in _ROLES for message in whole)
    return all(message.get("role") in _ROLES for message in head.messages)


def _chat_or_anthropic(head: _Head) -> str:
    roles = {message.get("role") for message in head.messages}
    if roles & _CHAT_ROLES or any(_CHAT_FIELDS & message.keys() for message in head.messages):
        return "openai-chat"
    if any(map(_is_anthropic, head.messages)):
        return "anthropic"
    if roles & {"system", "developer"}:
        return "openai-chat"
    return "anthropic" if any("system" in outer for outer in head.around) else "openai-chat"


def _is_content(message: Json) -> bool:
    parts = message.get("parts")
    if message.get("role") not in {"user", "model", "function"} or not isinstance(parts, list) or not parts:
        return False
    return isinstance(parts[0], dict) and "type" not in parts[0] and bool(_GEMINI_PARTS & parts[0].keys())


def _is_item(message: Json) -> bool:
    if message.get("type") in _RESPONSES_ITEMS:
        return "payload" not in message
    return "role" in message and any(block.get("type") in _RESPONSES_PIECES for block in _blocks(message))


def _asks_in_one_text(outer: Json) -> bool:
    return "model" in outer and isinstance(outer.get("input"), str)


def _is_anthropic(message: Json) -> bool:
    return "stop_reason" in message or any(
        block.get("type") in _ANTHROPIC_BLOCKS or "cache_control" in block or isinstance(block.get("source"), dict)
        for block in _blocks(message)
    )


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return [block for block in content if _is_named(block)] if isinstance(content, list) else []


def _is_named(value: Any) -> bool:
    """An object whose role and type, where it has them, are words."""
    return isinstance(value, dict) and all(isinstance(value.get(name, ""), str) for name in ("role", "type"))


# ── finding the messages ─────────────────────────────────────────────────────────────────────────────


def _find_messages(head: bytes) -> _Head:
    found = _Head()
    for value in islice(_values(head), _MOST_MESSAGES):
        name = next((name for name in LISTS if isinstance(value.get(name), list)), None)
        if "role" in value or value.get("type") in _RESPONSES_ITEMS:
            found.messages.append(value)
            continue
        found.around.append(value)
        if name is not None:
            found.lists.add(name)
            found.messages.extend(filter(_is_named, value[name][:_MOST_MESSAGES]))
    return found


def _values(head: bytes) -> Iterator[Json]:
    """The objects at the top of the file: the one that it is, or those of an array or of its lines."""
    text = head.lstrip(BOM + b" \t\r\n")
    first, _, rest = text.partition(b"\n")
    try:
        values = [jsonio.loads(first), *_lines(rest)] if rest.strip() else [parse_truncated(text)]
    except ValueError:
        values = [parse_truncated(text)]
    for value in values:
        items = value if isinstance(value, list) else [value]
        flat = chain.from_iterable(item if isinstance(item, list) else [item] for item in items)
        yield from filter(_is_named, flat)


def _lines(rest: bytes) -> Iterator[Any]:
    for line in islice(rest.splitlines(), _MOST_MESSAGES):
        try:
            yield jsonio.loads(line)
        except ValueError:
            yield parse_truncated(line)
