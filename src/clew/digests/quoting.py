"""Quoting: words of a message, trimmed but never changed, and no longer than a reader needs."""

from __future__ import annotations

from clew.text.sentences import spans

#: Longer texts are searched for sentences this far; a paste that long says little after its beginning.
MAX_CHARS = 20_000


def one_line(text: str) -> str:
    return " ".join(text.split())


def cut_at_word(text: str, max_chars: int) -> str:
    """The beginning of a text, ending between words where there are any."""
    if len(text) <= max_chars:
        return text
    head = text[: max_chars + 1]
    at = max(head.rfind(" "), head.rfind("\n"))
    return (head[:at] if at > max_chars // 2 else head[:max_chars]).rstrip()


def quote(text: str, max_chars: int, *, start: int = 0) -> str:
    """Whole sentences from ``start`` on, as they stand, lines and all, up to a code block; at least part of one."""
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
