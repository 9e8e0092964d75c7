"""Caps in tokens, held by trimming: first whole sentences and key points go, then words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clew.text.sentences import sentences
from clew.tokens.tokenizers import tokenizer_for

_MARK = "…"
#: No text has fewer tokens than this many of its characters need; what lies beyond cannot fit.
_CHARS_TO_TOKEN = 24


def count(text: str) -> int:
    """Tokens of o200k, by which all caps are counted."""
    return tokenizer_for("text").count(text)


def clipped(text: str, max_tokens: int) -> str:
    """The text, or its longest beginning that fits: whole sentences if they make up half of it, else words and …"""
    head = text[: max_tokens * _CHARS_TO_TOKEN]
    if head == text and count(text) <= max_tokens:
        return text
    words = head.split(" ")
    kept = _longest(words, max_tokens)
    whole = _whole_sentences(kept)
    if len(whole) * 2 >= len(kept):
        return whole
    return f"{kept.rstrip(' ,;:')}{_MARK}" if kept else _cut(head, max_tokens)


def _longest(words: Sequence[str], max_tokens: int) -> str:
    low, high = 0, min(len(words), max_tokens)
    while low < high:
        middle = (low + high + 1) // 2
        if count(" ".join(words[:middle]) + _MARK) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return " ".join(words[:low])


def _whole_sentences(text: str) -> str:
    """All sentences but one that was cut; empty where the first one was."""
    found = sentences(text)
    if len(found) < 2:
        return ""
    at = text.rfind(found[-1])
    return text[:at].rstrip() if at > 0 else ""


def _cut(text: str, max_tokens: int) -> str:
    """A single word that does not fit, cut between characters."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle] + _MARK) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _MARK if low else ""


@dataclass(frozen=True, slots=True)
class Point:
    """A line of a summary: what it is about, and its pieces, the most telling first. Low ranks are served first."""

    label: str
    pieces: tuple[str, ...]
    rank: int
    separator: str = "; "

    def line(self, pieces: Sequence[str]) -> str:
        body = self.separator.join(pieces)
        return f"{self.label}: {body}" if self.label else body


@dataclass(frozen=True, slots=True)
class Fitted:
    """What found room: the text, and the pieces of each label."""

    text: str
    kept: dict[str, tuple[str, ...]]


def fit(points: Sequence[Point], max_tokens: int, *, between: str = "\n") -> Fitted:
    """As much of the points as the cap allows, in the order given.

    By rank each point gets its first piece, cut to a third of the cap; then, by rank again, what follows,
    piece by piece, until one does not fit. The text as a whole is counted each time.
    """
    chosen: list[list[str]] = [[] for _ in points]
    order = sorted((at for at, point in enumerate(points) if point.pieces), key=lambda at: (points[at].rank, at))

    def text() -> str:
        lines = [point.line(pieces) for point, pieces in zip(points, chosen, strict=True) if pieces]
        return between.join(lines)

    def take(at: int, piece: str) -> bool:
        chosen[at].append(piece)
        if count(text()) <= max_tokens:
            return True
        chosen[at].pop()
        return False

    for at in order:
        room = max_tokens - count(text()) - count(points[at].label) - 4
        first = clipped(points[at].pieces[0], min(max(room, 0), max_tokens // 3))
        _ = bool(first) and take(at, first)
    for at in order:
        for piece in points[at].pieces[1:] if chosen[at] else ():
            if not take(at, piece):
                break
    return Fitted(text(), {point.label: tuple(pieces) for point, pieces in zip(points, chosen, strict=True) if pieces})
