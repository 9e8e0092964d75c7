"""Fits texts into a number of tokens, as the caller counts them."""

from __future__ import annotations

from collections.abc import Callable

from clew.ports import TokenCounter

_MARK = "…"
#: No tokenizer makes one token of more characters than this in text that people read.
_CHARS_TO_TOKEN = 24


def fit_beginning(text: str, room: int, count: TokenCounter) -> str:
    """Returns the longest beginning that fits, with a mark where it was cut."""
    head = text[: max(room, 0) * _CHARS_TO_TOKEN]
    if head == text and count(text) <= room:
        return text
    return _longest(len(head), lambda size: head[:size].rstrip() + _MARK, room, count)


def _longest(limit: int, build: Callable[[int], str], room: int, count: TokenCounter) -> str:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if count(build(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return build(low) if low else ""
