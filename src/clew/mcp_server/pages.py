"""Pages of an answer: at most 4,000 tokens each, with a cursor that leads to the next."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import orjson

from clew.errors import UsageError

#: Most tokens of an answer, by o200k, and how many of them its items may take: the rest is for what stands around them.
PAGE_TOKENS = 4_000
_ITEM_TOKENS = 3_400
#: A longer text is cut into pieces; so many letters are rarely more tokens than a page has.
_PIECE_CHARS = 4_000
_PIECE_TOKENS = 1_500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """The items of one page, and the number of the first item of the next; None where this is the last."""

    items: list[T]
    next: int | None


def page(items: Sequence[T], start: int, cost: Callable[[T], int]) -> Page[T]:
    """Returns as many items from ``start`` on as fit a page, and at least one. Raises UsageError for a start that is
    beyond them.
    """
    if start and start >= len(items):
        raise UsageError("the cursor is beyond the end of the answer; ask again without it")
    left = _ITEM_TOKENS
    chosen: list[T] = []
    for item in items[start:]:
        left -= cost(item)
        if chosen and left < 0:
            return Page(chosen, start + len(chosen))
        chosen.append(item)
    return Page(chosen, None)


def pieces(text: str, count: Callable[[str], int]) -> Iterator[str]:
    """Cuts a text into pieces that fit a page, at line ends where there are any. Together they are the text."""
    while len(text) > _PIECE_CHARS or count(text) > _PIECE_TOKENS:
        size = min(_PIECE_CHARS, max(1, len(text) // 2))
        while size > 1 and count(text[:size]) > _PIECE_TOKENS:
            size //= 2
        end = text.rfind("\n", size // 2, size) + 1 or size
        yield text[:end]
        text = text[end:]
    if text:
        yield text


def make_cursor(value: dict[str, Any]) -> str:
    """Returns a cursor that holds where to go on."""
    return base64.urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")


def read_cursor(cursor: str | None) -> dict[str, Any]:
    """Returns what a cursor holds; nothing without one. Raises UsageError for what is no cursor."""
    if not cursor:
        return {}
    try:
        value = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("at"), int) or value["at"] < 0:
        raise UsageError("this is no cursor of an answer; hand next_cursor back as it came, or leave cursor out")
    return value
