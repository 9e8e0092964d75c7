"""Writes history as text for a model to read about, not to continue: the units that packs are made of, all of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from clew.domain import Call, Message, Origin
from clew.ports import TokenCounter
from clew.units.steps import StepContext, render_step

#: How much of a message is told, as steps of packs are: in full, and in brief, where outputs keep a few lines.
_FULL_SCALE, _BRIEF_SCALE, _BRIEF_AGE = 30.0, 1.0, 100
_FENCE_DIGITS = 16
#: The part of a text that is counted for sure when it is cut by an estimate.
_SAFE_SHARE = 0.9
_MIN_PIECE_CHARS = 200


def message_blocks(messages: Sequence[Message], *, brief: bool = False) -> list[str]:
    """Returns a text for each message that says something: who said it, what was called, what came of it."""
    return list(iter_blocks(messages, brief=brief))


def iter_blocks(messages: Sequence[Message], *, brief: bool = False) -> Iterator[str]:
    """Yields what ``message_blocks`` returns, one by one."""
    calls: dict[str, Call] = {}
    for message in messages:
        calls.update((call.id, call) for call in message.calls)
        if message.origin is Origin.SUMMARY:
            yield f"{message.id} earlier summary: {message.text}"
        elif text := _render_message(message, calls, brief=brief):
            yield text


def _render_message(message: Message, calls: dict[str, Call], *, brief: bool) -> str:
    age, scale = (_BRIEF_AGE, _BRIEF_SCALE) if brief else (0, _FULL_SCALE)
    return render_step(message, StepContext(calls), age=age, scale=scale)


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
