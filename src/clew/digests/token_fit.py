"""Fits texts into caps of tokens: first whole sentences and key points are left out, then words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from clew.text.sentences import sentences
from clew.tokens.tokenizers import tokenizer_for

_MARK = "…"
#: No text has fewer tokens than this many of its characters need; what lies beyond cannot fit.
_CHARS_TO_TOKEN = 24
#: A piece cut to less than this is a scrap; a point adds about this much before the next one has its turn.
_SCRAP_TOKENS, _TURN_TOKENS = 10, 12


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
    if len(whole) * 2 >= len(kept):
        return whole
    # Paths and names are words as long as half a line: rather a part of one than a scrap of the line.
    is_scrap = count_tokens(kept) * 2 < max_tokens
    return _cut(head, max_tokens) if is_scrap else f"{kept.rstrip(' ,;:')}{_MARK}"


def _longest(words: Sequence[str], max_tokens: int) -> str:
    low, high = 0, min(len(words), max_tokens)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(" ".join(words[:middle]) + _MARK) <= max_tokens:
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
    """The longest beginning that fits, cut between characters."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle] + _MARK) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _MARK if low else ""


@dataclass(frozen=True, slots=True)
class Point:
    """A line of a summary: its label, and its pieces, the most important first. Low ranks are served first."""

    label: str
    pieces: tuple[str, ...]
    rank: int
    separator: str = "; "

    def line(self, pieces: Sequence[str]) -> str:
        """Renders the line with these pieces."""
        body = self.separator.join(pieces)
        return f"{self.label}: {body}" if self.label else body


@dataclass(frozen=True, slots=True)
class FittedText:
    """The text that fits, and the pieces of each label that it holds."""

    text: str
    kept: dict[str, tuple[str, ...]]


def fit_points(
    points: Sequence[Point],
    max_tokens: int,
    *,
    between: str = "\n",
    first: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> FittedText:
    """Returns as much of the points as the cap allows, in the order given.

    Pieces that are named ``first``, by label, come before all others. By rank each point gets its first piece, cut to a
    third of the cap for the first rank, a quarter for others. The room that is left goes round, by rank again, a few
    pieces at a time, so that no point takes it all. The text as a whole is counted each time.
    """
    state = _FitState(points, max_tokens, between)
    for at, point in enumerate(points):
        state.take_all(at, first.get(point.label, ()))
    order = sorted((at for at, point in enumerate(points) if point.pieces), key=lambda at: (points[at].rank, at))
    for at in order:
        if not state.chosen[at]:
            state.take_first(at)
    waiting = [at for at in order if state.chosen[at]]
    while waiting:
        waiting = [at for at in waiting if state.take_turn(at)]
    return FittedText(
        state.text, {point.label: tuple(kept) for point, kept in zip(points, state.chosen, strict=True) if kept}
    )


class _FitState:
    """The pieces chosen so far, and what their text costs."""

    def __init__(self, points: Sequence[Point], max_tokens: int, between: str) -> None:
        self._points, self._max_tokens, self._between = points, max_tokens, between
        self.chosen: list[list[str]] = [[] for _ in points]
        self._tokens = 0

    @property
    def text(self) -> str:
        lines = zip(self._points, self.chosen, strict=True)
        return self._between.join(point.line(pieces) for point, pieces in lines if pieces)

    def take_all(self, at: int, pieces: Sequence[str]) -> None:
        """Takes pieces of a point, as far as they fit, before any point has its turn."""
        for piece in pieces:
            self._take(at, piece)

    def take_first(self, at: int) -> None:
        """Takes a point's first piece, whole or cut; a mere scrap of it says nothing."""
        point = self._points[at]
        share = self._max_tokens // (3 if point.rank == 0 else 4)
        room = min(self._max_tokens - self._tokens - count_tokens(f"{point.label}: ") - 2, share)
        first = clip(point.pieces[0], room) if room > 0 else ""
        if first == point.pieces[0] or (first and room >= _SCRAP_TOKENS) or at == 0:
            self._take(at, first)

    def take_turn(self, at: int) -> bool:
        """Takes the next pieces of a point, a turn's worth of tokens; False when there are none or no room is left."""
        before = self._tokens
        while self._tokens - before < _TURN_TOKENS:
            pieces, taken = self._points[at].pieces, len(self.chosen[at])
            if taken >= len(pieces) or not self._take(at, pieces[taken]):
                return False
        return True

    def _take(self, at: int, piece: str) -> bool:
        if not piece:
            return False
        self.chosen[at].append(piece)
        tokens = count_tokens(self.text)
        if tokens > self._max_tokens:
            self.chosen[at].pop()
            return False
        self._tokens = tokens
        return True
