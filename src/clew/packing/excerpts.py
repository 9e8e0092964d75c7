"""Excerpts of messages for a query: short messages whole, of others the lines that match and their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.domain import Message
from clew.history.message_text import part_text
from clew.text.trim import with_gaps

#: Returns how well a line matches the query; 0 for not at all.
Closeness = Callable[[str], float]
_MAX_LINE_CHARS = 400
#: Of a longer message only this many characters of its beginning are searched.
_MAX_CHARS = 60_000


def excerpt(message: Message, closeness: Closeness, *, limit: int) -> str:
    """Returns at most about ``limit`` characters of the message, in order, with an ellipsis for each gap."""
    text = "\n".join(words for part in message.parts if (words := part_text(part).strip()))
    if len(text) <= limit:
        return text
    lines = [line[:_MAX_LINE_CHARS] for line in text[:_MAX_CHARS].split("\n")]
    chosen = _choose_lines(lines, closeness, limit)
    end = "" if len(lines) - 1 in chosen else "\n…"
    return "\n".join(with_gaps(lines, sorted(chosen))) + end


def _choose_lines(lines: Sequence[str], closeness: Closeness, limit: int) -> set[int]:
    """Lines by closeness, each with the one before and after it, while there is room; the first of all without any."""
    scores = {index: score for index, line in enumerate(lines) if line.strip() and (score := closeness(line))}
    order = sorted(scores, key=lambda at: (-scores[at], at)) or range(len(lines))
    chosen: set[int] = set()
    left = limit
    for at in order:
        for near in (at, at + 1, at - 1):
            if 0 <= near < len(lines) and near not in chosen and len(lines[near]) < left:
                chosen.add(near)
                left -= len(lines[near]) + 1
        if left < limit // 8:
            break
    return chosen
