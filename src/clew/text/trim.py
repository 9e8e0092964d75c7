"""Texts made shorter for showing: on one line, cut between words, and some of their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

#: Characters of a token, before a text has been counted.
CHARS_PER_TOKEN = 4.0
_MARK = "…"


def one_line(text: str) -> str:
    """The text with every run of blanks and line breaks as one blank."""
    return " ".join(text.split())


def cut_at_word(text: str, max_chars: int) -> str:
    """The beginning of a text, ending between words where there are any."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars + 1]
    border = max(head.rfind(" "), head.rfind("\n"))
    return (head[:border] if border > max_chars // 2 else head[:max_chars]).rstrip()


def shorten(text: str, max_chars: int) -> str:
    """The beginning of a text on one line, cut between words where there are any, with a mark where it was cut."""
    line = one_line(text[: 4 * max_chars])
    if len(line) <= max_chars:
        return line
    head = line[:max_chars]
    index = head.rfind(" ")
    return (head[:index] if index > max_chars // 2 else head).rstrip(" ,;:") + _MARK


def with_gaps(lines: Sequence[str], kept: Iterable[int]) -> Iterator[str]:
    """The lines at some places, in order, with a mark before each that does not follow the one before it."""
    before = -1
    for index in kept:
        if index > before + 1:
            yield _MARK
        yield lines[index]
        before = index
