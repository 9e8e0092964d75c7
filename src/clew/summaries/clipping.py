"""Texts cut to a number of tokens, as somebody else counts them."""

from __future__ import annotations

from collections.abc import Callable

Count = Callable[[str], int]

_MARK = "…"
#: No tokenizer makes one token of more characters than this in text that people read.
_CHARS_TO_TOKEN = 24


def one_line(text: str) -> str:
    return " ".join(text.split())


def shortened(text: str, max_chars: int) -> str:
    """The beginning of a text on one line, cut between words where there are any."""
    line = one_line(text[: 4 * max_chars])
    if len(line) <= max_chars:
        return line
    head = line[:max_chars]
    at = head.rfind(" ")
    return (head[:at] if at > max_chars // 2 else head).rstrip(" ,;:") + _MARK


def beginning(text: str, room: int, count: Count) -> str:
    """The longest beginning that fits, with a mark where it was cut."""
    head = text[: max(room, 0) * _CHARS_TO_TOKEN]
    if head == text and count(text) <= room:
        return text
    return _longest(len(head), lambda size: head[:size].rstrip() + _MARK, room, count)


def end(text: str, room: int, count: Count) -> str:
    """The longest end that fits, with a mark where it was cut."""
    tail = text[-max(room, 1) * _CHARS_TO_TOKEN :]
    if tail == text and count(text) <= room:
        return text
    return _longest(len(tail), lambda size: _MARK + tail[len(tail) - size :].lstrip(), room, count)


def _longest(limit: int, made: Callable[[int], str], room: int, count: Count) -> str:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if count(made(middle)) <= room:
            low = middle
        else:
            high = middle - 1
    return made(low) if low else ""
