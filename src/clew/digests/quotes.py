"""Quotes: words of a message, trimmed but never changed, and no longer than a reader needs."""

from __future__ import annotations

from clew.text.sentences import spans
from clew.text.trim import cut_at_word

#: Longer texts are searched for sentences this far; a paste that long says little after its beginning.
MAX_CHARS = 20_000


def quote(text: str, max_chars: int, *, start: int = 0) -> str:
    """Returns whole sentences from ``start`` on, line ends included, up to a code block; at least part of one."""
    text = text[:MAX_CHARS]
    first = last = -1
    for begin, end in spans(text):
        if begin < start:
            continue
        first = begin if first < 0 else first
        if last >= 0 and (end - first > max_chars or "```" in text[last:begin]):
            break
        last = end
    if first < 0:
        return ""
    return cut_at_word(text[first:last], max_chars)
