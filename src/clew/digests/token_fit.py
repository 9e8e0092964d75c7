"""Fits texts into caps of tokens: first whole sentences are left out, then words."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from clew.text.sentences import sentences
from clew.tokens.tokenizers import tokenizer_for

_MARK = "…"
#: No text has fewer tokens than this many of its characters need; what lies beyond cannot fit.
_CHARS_TO_TOKEN = 24


def count_tokens(text: str) -> int:
    """Counts tokens of o200k; all caps of digests are in these."""
    return tokenizer_for("text").count(text)


def clip(text: str, max_tokens: int) -> str:
    """Returns the text, or the longest beginning that fits: whole sentences if they are half of it, else words and …"""
    head = text[: max_tokens * _CHARS_TO_TOKEN]
    if head == text and count_tokens(text) <= max_tokens:
        return text
    words = head.split(" ")
    kept = _longest(words, max_tokens)
    whole = _whole_sentences(kept)
    if whole and len(whole) * 2 >= len(kept):
        return whole
    # Paths and names are words as long as half a line: rather a part of one than a scrap of the line.
    is_scrap = not kept or count_tokens(kept) * 2 < max_tokens
    return _cut(head, max_tokens) if is_scrap else f"{kept.rstrip(' ,;:')}{_MARK}"


def _longest(words: Sequence[str], max_tokens: int) -> str:
    most = min(len(words), max_tokens)
    return " ".join(words[: _most_fitting(most, max_tokens, lambda count: " ".join(words[:count]))])


def _most_fitting(most: int, max_tokens: int, shown: Callable[[int], str]) -> int:
    """How many pieces fit, of ``most``, where so many of them are ``shown`` with a mark behind."""
    return bisect_right(range(1, most + 1), max_tokens, key=lambda count: count_tokens(shown(count) + _MARK))


def _whole_sentences(text: str) -> str:
    """All sentences but one that was cut; empty where the first one was."""
    pieces = sentences(text)
    if len(pieces) < 2:
        return ""
    index = text.rfind(pieces[-1])
    return text[:index].rstrip() if index > 0 else ""


def _cut(text: str, max_tokens: int) -> str:
    """The longest beginning that fits, cut between characters."""
    count = _most_fitting(len(text), max_tokens, lambda count: text[:count])
    return text[:count] + _MARK if count else ""
