"""Cache breakpoints: marks in a request for the Messages API up to which the provider caches the prompt.

Content is never changed. Only blocks can bear a mark, so a message that is a bare string gets none. The caller's own
marks in system and tools stay; those in messages fitted another request, so they are replaced, with their lifetime.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from clew.domain import Json
from clew.rules.base import is_new_kind

_MOST = 4
_MARK = "cache_control"
_UNMARKED = {"thinking", "redacted_thinking"}


def with_breakpoints(body: Json, *, snapshot: str) -> Json:
    """Returns the request with marks at its end, at the end of the snapshot, and where the request before it ended."""
    outside = [block[_MARK] for block in _blocks_outside(body) if _MARK in block]
    messages = [without_marks(message) for message in body["messages"]]
    free = _MOST - len(outside)
    if free <= 0:
        return body | {"messages": messages}
    inside = [block[_MARK] for message in body["messages"] for block in _blocks(message) if _MARK in block]
    mark = _mark([*outside, *inside])
    for at, place in list(dict.fromkeys(_places(messages, snapshot)))[:free]:
        content = list(messages[at]["content"])
        content[place] = content[place] | {_MARK: mark}
        messages[at] = messages[at] | {"content": content}
    return body | {"messages": messages}


def _mark(known: Sequence[Json]) -> Json:
    """As long as the shortest of the caller's: one that lives longer must not stand behind it."""
    ttls = {mark.get("ttl", "5m") for mark in known if isinstance(mark, dict)}
    return {"type": "ephemeral", "ttl": "1h"} if ttls == {"1h"} else {"type": "ephemeral"}


def _places(messages: Sequence[Json], snapshot: str) -> Iterator[tuple[int, int]]:
    """(message, block), the most useful first."""
    ends = [at for at in reversed(range(len(messages))) if _last_block(messages[at]) is not None]
    if ends:
        yield ends[0], _last_block(messages[ends[0]]) or 0
    first = _blocks(messages[0]) if messages else []
    if snapshot and first and first[0].get("text") == snapshot:
        yield 0, 0
    replies = [at for at in range(len(messages)) if messages[at].get("role") == "assistant"]
    before = [at for at in ends if replies and at < replies[-1]]
    if before:
        yield before[0], _last_block(messages[before[0]]) or 0


def _last_block(message: Json) -> int | None:
    blocks = _blocks(message)
    return next((at for at in reversed(range(len(blocks))) if _can_bear_mark(str(blocks[at].get("type", "")))), None)


def _can_bear_mark(kind: str) -> bool:
    """Blocks of a kind that is not known here stay as they came; results of the provider's own tools are known."""
    return kind not in _UNMARKED and (kind.endswith("_tool_result") or not is_new_kind(kind))


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    return content if isinstance(content, list) and all(isinstance(block, dict) for block in content) else []


def _blocks_outside(body: Json) -> Iterator[Json]:
    """What bears marks of the caller's: the request itself, whose mark is for its end, tools and system."""
    yield body
    for name in ("tools", "system"):
        found: Any = body.get(name)
        yield from (block for block in found if isinstance(block, dict)) if isinstance(found, list) else ()


def without_marks(message: Json) -> Json:
    """Returns a message without the marks that it had in another request."""
    blocks = _blocks(message)
    if not any(_MARK in block for block in blocks):
        return message
    return message | {"content": [{k: v for k, v in block.items() if k != _MARK} for block in blocks]}
