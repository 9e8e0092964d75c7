"""Which of the providers' formats a file is written in, judged by what stands at its beginning.

The head of a file may be cut anywhere. It is read as the JSON it would be if it were closed there, and
then the messages in it are looked at, wherever the file keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import LISTS
from clew.codecs.jsonio import BOM, parse_truncated
from clew.codecs.sources import HEAD_BYTES
from clew.domain import Json
from clew.text.vocabulary import words

_MOST_MESSAGES = 50

_ROLES = {"user", "assistant", "system", "developer", "tool", "function"}
_CHAT_ROLES = {"tool", "function"}
#: Clients send results of functions under two names of their own; a content without a role is the user's.
_GEMINI_ROLES = {"user", "model", "function", "tool", None}
_CHAT_FIELDS = {"tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content"}
_CHAT_BLOCKS = {"image_url", "input_audio"}
_ANTHROPIC_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}
_RESPONSES_PIECES = {"input_text", "output_text", "input_image", "input_file"}
_RESPONSES_ITEMS = words(
    "function_call function_call_output custom_tool_call custom_tool_call_output local_shell_call"
    " local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output computer_call"
    " computer_call_output web_search_call file_search_call image_generation_call code_interpreter_call item_reference"
    " mcp_call mcp_list_tools mcp_approval_request mcp_approval_response compaction reasoning"
)
_GEMINI_PARTS = words(
    "text thought functionCall functionResponse inlineData fileData executableCode function_call function_response"
    " inline_data file_data"
)


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
    return next((name for name, has_sign in _SIGNS.items() if has_sign(data)), None) if _is_named(data) else None


def is_message(data: Json) -> bool:
    """True for a role and its content, which most APIs share."""
    return _is_named(data) and data.get("role") in _ROLES and "content" in data


def format_of_content(pieces: Sequence[Any]) -> str | None:
    """The API whose message has these as its content; None where they are not pieces of one message."""
    objects = [piece for piece in pieces if isinstance(piece, dict)]
    if not objects or any("role" in piece for piece in objects):
        return None
    if all("type" not in piece and _GEMINI_PARTS & piece.keys() for piece in objects):
        return "gemini"
    kinds = {piece.get("type") if isinstance(piece.get("type"), str) else "" for piece in objects}
    return "anthropic" if kinds <= _ANTHROPIC_BLOCKS | {"text"} else None


# ── signs that only one format has ───────────────────────────────────────────────────────────────────


def _is_gemini(message: Json) -> bool:
    role, parts = message.get("role"), message.get("parts")
    if role == "model" and "content" in message:
        return True
    if role not in _GEMINI_ROLES or not isinstance(parts, list):
        return False
    objects = [part for part in parts if isinstance(part, dict) and "type" not in part]
    return objects == parts and any(_GEMINI_PARTS & part.keys() for part in objects)


def _is_item(message: Json) -> bool:
    if message.get("type") in _RESPONSES_ITEMS:
        return "payload" not in message
    return "role" in message and any(block.get("type") in _RESPONSES_PIECES for block in _blocks(message))


def _is_chat(message: Json) -> bool:
    if message.get("role") not in _ROLES:
        return False
    is_tool = message["role"] in _CHAT_ROLES or bool(_CHAT_FIELDS & message.keys())
    return is_tool or any(block.get("type") in _CHAT_BLOCKS for block in _blocks(message))


def _is_anthropic(message: Json) -> bool:
    return message.get("role") in _ROLES and (
        "stop_reason" in message
        or any(
            block.get("type") in _ANTHROPIC_BLOCKS or "cache_control" in block or isinstance(block.get("source"), dict)
            for block in _blocks(message)
        )
    )


#: In this order: what shows the sign of one is not looked at for those after it.
_SIGNS: dict[str, Callable[[Json], bool]] = {
    "gemini": _is_gemini,
    "openai-responses": _is_item,
    "openai-chat": _is_chat,
    "anthropic": _is_anthropic,
}


# ── a whole file ─────────────────────────────────────────────────────────────────────────────────────


def _format_of(head: _Head) -> str | None:
    """Signs that only one format has come first; a conversation of plain texts is taken for chat."""
    formats = set(map(format_of_message, head.messages))
    if "contents" in head.lists or "gemini" in formats:
        return "gemini"
    if "input" in head.lists or "openai-responses" in formats or any(map(_asks_in_one_text, head.around)):
        return "openai-responses"
    if not _are_messages(head):
        return None
    if formats & {"openai-chat", "anthropic"}:
        return "openai-chat" if "openai-chat" in formats else "anthropic"
    if any(message.get("role") in {"system", "developer"} for message in head.messages):
        return "openai-chat"
    return "anthropic" if any("system" in outer for outer in head.around) else "openai-chat"


def _are_messages(head: _Head) -> bool:
    """All have a role that is known; the last one may be cut off before it comes to that."""
    if not head.messages:
        return False
    *whole, last = head.messages
    if "role" not in last and (whole or (head.lists and last.keys() <= {"content"})):
        return all(message.get("role") in _ROLES for message in whole)
    return all(message.get("role") in _ROLES for message in head.messages)


def _asks_in_one_text(outer: Json) -> bool:
    return "model" in outer and isinstance(outer.get("input"), str)


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
