"""Writes history as text for a model to read about, not to continue: who said what, shortened where a rung needs it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from clew.domain import Call, Message, Output, Part, Reasoning, Text
from clew.history.message_text import message_text
from clew.ports import TokenCounter

#: What is left of a tool's output where outputs are cut: lines at its beginning and at its end, and characters in each.
_HEAD_LINES, _TAIL_LINES, _LINE_CHARS = 4, 3, 200
_ARGUMENT_CHARS = 300
_FENCE_DIGITS = 16
#: The part of a text that is counted for sure when it is cut by an estimate.
_SAFE_SHARE = 0.9
_MIN_PIECE_CHARS = 200


def message_blocks(messages: Iterable[Message], *, cut_tools: bool = False) -> list[str]:
    """Returns a text for each message, without sealed thinking; ``cut_tools`` leaves a few lines of outputs."""
    return [message_text(_readable(message, cut_tools=cut_tools)) for message in messages]


def fence(name: str, text: str) -> str:
    """Puts the text between tags that it cannot close: they carry a hash of it."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    while digest[:_FENCE_DIGITS] in text:
        digest = hashlib.sha256(digest.encode()).hexdigest()
    tag = f"{name}-{digest[:_FENCE_DIGITS]}"
    return f"<{tag}>\n{text}\n</{tag}>"


def split_parts(blocks: Sequence[str], limit: int, count: TokenCounter) -> list[str]:
    """Joins blocks to as few texts as fit the limit each, in order; a block that is too large is itself cut."""
    parts: list[list[str]] = []
    left = 0
    for block in blocks:
        for piece in _pieces(block, limit, count):
            cost = count(piece) + 2
            if not parts or cost > left:
                parts.append([])
                left = limit
            parts[-1].append(piece)
            left -= cost
    return ["\n\n".join(part) for part in parts]


def _pieces(block: str, limit: int, count: TokenCounter) -> list[str]:
    """The block, or runs of it that fit the limit, cut at line ends where there are any near."""
    tokens = count(block) + 2
    if tokens <= limit:
        return [block]
    size = max(_MIN_PIECE_CHARS, int(len(block) * limit / tokens * _SAFE_SHARE))
    found, at = [], 0
    while at < len(block):
        end = _cut_point(block, at, min(at + size, len(block)))
        while count(block[at:end]) + 2 > limit and end - at > _MIN_PIECE_CHARS:
            end = at + (end - at) * 2 // 3
        found.append(block[at:end])
        at = end
    return found


def _cut_point(text: str, start: int, end: int) -> int:
    near = text.rfind("\n", start + (end - start) * 3 // 4, end)
    return near + 1 if near > start and end < len(text) else end


def _readable(message: Message, *, cut_tools: bool) -> Message:
    shown = [part for part in message.parts if not _is_silent(part, cut_tools)]
    return replace(message, parts=tuple(_shortened_part(part, cut_tools=cut_tools) for part in shown))


def _is_silent(part: Part, cut_tools: bool) -> bool:
    return isinstance(part, Reasoning) and (cut_tools or not part.text)


def _shortened_part(part: Part, *, cut_tools: bool) -> Part:
    match part:
        case Output() if cut_tools:
            return replace(part, content=tuple(_cut_text(inner) for inner in part.content))
        case Call() if cut_tools:
            return replace(part, arguments=_cut_arguments(part.arguments))
        case _:
            return part


def _cut_text(part: Part) -> Part:
    return replace(part, text=head_and_tail(part.text)) if isinstance(part, Text) else part


def _cut_arguments(value: Any) -> Any:
    """The arguments with long texts cut: files that are written, patches, scripts."""
    match value:
        case str():
            return value if len(value) <= _ARGUMENT_CHARS else head_and_tail(value)[: 2 * _ARGUMENT_CHARS]
        case dict():
            return {key: _cut_arguments(inner) for key, inner in value.items()}
        case list():
            return [_cut_arguments(inner) for inner in value]
        case _:
            return value


def head_and_tail(text: str) -> str:
    """Returns the first and the last lines of a text, none of them long, and how many are left out between them."""
    lines = text.split("\n")
    left_out = len(lines) - _HEAD_LINES - _TAIL_LINES
    if left_out > 1:
        lines = [*lines[:_HEAD_LINES], f"[{left_out} lines left out]", *lines[-_TAIL_LINES:]]
    return "\n".join(line if len(line) <= _LINE_CHARS else f"{line[:_LINE_CHARS]}…" for line in lines)
