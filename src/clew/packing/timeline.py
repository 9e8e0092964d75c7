"""The timeline: one line for every segment that nothing else in the snapshot names, the oldest rolled up into eras."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clew.domain import Header
from clew.domain.ids import parse_segment
from clew.ports import TokenCounter
from clew.text.trim import cut_at_word

#: Characters of an era's line, and of each topic in it.
_ERA_CHARS, _TOPIC_CHARS = 160, 40


def timeline_lines(
    headers: Sequence[Header], named: Collection[int], *, room: int, count: TokenCounter
) -> list[tuple[str, str]]:
    """Returns pairs of id and line, oldest first, within the room; an era stands for all that have none.

    Exchanges in ``named`` stand elsewhere in the snapshot under their id.
    """
    left = [header for header in headers if _exchange(header) not in named]
    lines = [(header.id, header.line) for header in left]
    prices = [count(f"{id} {line}") + 1 for id, line in lines]
    if sum(prices) <= room:
        return lines
    for first in range(1, len(left) + 1):
        era = era_line(left[:first])
        if first == len(left) or count(f"{era[0]} {era[1]}") + 1 + sum(prices[first:]) <= room:
            return [era, *lines[first:]]
    return lines


def era_line(headers: Sequence[Header]) -> tuple[str, str]:
    """Returns the span of a run of segments, how many they are, and what the first of them were about."""
    first, last = headers[0].id.split("–")[0], headers[-1].id.split("–")[-1]
    span = first if first == last else f"{first}–{last}"
    segments = sum(header.segments for header in headers)
    topics = "; ".join(cut_at_word(header.line, _TOPIC_CHARS) for header in headers if header.line)
    return span, cut_at_word(f"{segments} segments: {topics}" if topics else f"{segments} segments", _ERA_CHARS)


def _exchange(header: Header) -> int:
    named = parse_segment(header.id)
    return named.exchange if named else -1
