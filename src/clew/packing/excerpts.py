"""What a message says about a query: all of it if it is short, else the lines that speak of it and their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.domain import Message
from clew.history.transcript import part_text

#: How closely a line belongs to the query; 0 for not at all.
Closeness = Callable[[str], float]
_MAX_LINE_CHARS = 400
#: Of a longer message only so much of its beginning is looked through.
_MAX_CHARS = 60_000


def excerpt(message: Message, closeness: Closeness, *, limit: int) -> str:
    """At most about ``limit`` characters, in the order they stand; gaps are shown."""
    text = "\n".join(told for part in message.parts if (told := part_text(part).strip()))
    if len(text) <= limit:
        return text
    lines = [line[:_MAX_LINE_CHARS] for line in text[:_MAX_CHARS].split("\n")]
    return "\n".join(_joined(lines, sorted(_chosen(lines, closeness, limit))))


def _chosen(lines: Sequence[str], closeness: Closeness, limit: int) -> set[int]:
    """Lines by closeness, each with the one before and after it, while there is room; the first of all without any."""
    scores = {at: score for at, line in enumerate(lines) if line.strip() and (score := closeness(line))}
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


def _joined(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[str]:
    before = -1
    for at in chosen:
        if at > before + 1:
            yield "…"
        yield lines[at]
        before = at
    if before < len(lines) - 1:
        yield "…"
