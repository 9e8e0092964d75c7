"""Eras: one header for a run of old segments, so that the list of headers never outgrows its caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clew.config import DigestConfig
from clew.digests.token_fit import clip, count_tokens
from clew.domain import Header, Outcome

_DEFAULT = DigestConfig()
#: Tokens that an era may cost: its line, its span of ids and what stands around them.
_ERA_TOKENS = 2 * _DEFAULT.header_tokens + 12
#: Least number of segments in an era, about; and most eras in a list.
_ERA_SEGMENTS, _MAX_ERAS = 20, 4


def era(headers: Sequence[Header], max_tokens: int = 2 * _DEFAULT.header_tokens) -> Header:
    """Returns one header for a run of old ones: their span, the files touched most, their topics."""
    entities = Counter(entity for one in headers for entity in one.entities)
    order = list(entities)
    often = sorted(entities, key=lambda entity: (-entities[entity], order.index(entity)))
    segments = sum(one.segments for one in headers)
    topics = [one.line for one in headers if one.line]
    line = clip(f"{segments} segments: {', '.join(often[:4])}" if often else f"{segments} segments", max_tokens)
    for topic in topics:
        longer = f"{line}; {clip(topic, 8)}"
        if count_tokens(longer) > max_tokens:
            break
        line = longer
    return Header(
        id=_span(headers),
        line=line,
        at=headers[0].at,
        topic=clip("; ".join(topics), 3 * max_tokens),
        entities=tuple(often[:6]),
        outcome=Outcome.COMPLETED,
        tokens=sum(one.tokens for one in headers),
        segments=segments,
    )


def _span(headers: Sequence[Header]) -> str:
    """x1–x9; an era that takes in another keeps the first of its ids."""
    first, last = headers[0].id.split("–")[0], headers[-1].id.split("–")[-1]
    return first if first == last else f"{first}–{last}"


def roll_up_headers(headers: Sequence[Header], *, max_headers: int, max_tokens: int) -> list[Header]:
    """Rolls the oldest headers up into eras where there are too many of them or they cost too much.

    A header costs its line and its id. As many of the newest as possible stay as they are.
    """
    costs = [header_cost(one) for one in headers]
    if len(headers) <= max_headers and sum(costs) <= max_tokens:
        return list(headers)
    eras = max(1, min(_MAX_ERAS, len(headers) // _ERA_SEGMENTS, max_tokens // (2 * _ERA_TOKENS)))
    keep, room = 0, max_tokens - eras * _ERA_TOKENS
    for cost in reversed(costs[1:]):
        if keep + eras >= max_headers or cost > room:
            break
        keep, room = keep + 1, room - cost
    old = headers[: len(headers) - keep]
    size = -(-len(old) // eras)
    cap = min(2 * _DEFAULT.header_tokens, max(1, max_tokens - 12))
    return [*(era(old[at : at + size], cap) for at in range(0, len(old), size)), *headers[len(headers) - keep :]]


def header_cost(one: Header) -> int:
    """Counts the tokens of a header as a line of a list: id, line and what stands around them."""
    return count_tokens(one.line) + count_tokens(one.id) + 2
