"""Chunks: a text cut where its structure allows, in pieces of a size in tokens.

A document falls into sections, sections into paragraphs, paragraphs into sentences; code into definitions, and large
ones into what they hold. Pieces are put together as long as they fit, and never across the end of a section, unless one
is too small to be understood alone. Only what has no border within its size is cut between words; then pieces overlap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.domain.modules import Chunk
from clew.knowledge.code_sections import code_sections
from clew.knowledge.sections import Section, document_sections
from clew.ports import TokenCounter

#: A chunk below this share of the size is put together with what follows.
_SMALL = 0.25
#: The share of a chunk that is repeated in the next, where a text is cut between words.
_OVERLAP = 0.15
#: Characters that are cut off a run without blanks at a time; no token is longer.
_RUN_CHARS = 200

#: The end of a sentence or a line, also of one that stands in quoted data.
_SENTENCE_END = re.compile(
    r"""(?<=[.!?])(?=\s+["“'(\[\w])|(?<=[.!?]["”')])(?=\s+\w)|(?<=[。！？])|(?<=\\n)(?!\\n)|(?<=\n)(?!\n)"""
)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n+")
_WORD = re.compile(r"\S+\s*")


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    headings: tuple[str, ...]
    tokens: int


def chunk_text(text: str, format: str, *, module: str, size: int, count: TokenCounter) -> list[Chunk]:
    """Returns the chunks of a text, in order, each of at most ``size`` tokens. ``format`` is markdown, text or code."""
    sections = code_sections(text, size=size, count=count) if format == "code" else document_sections(text, format)
    cutter = _Cutter(text, size, count)
    pieces = cutter.join_small([piece for section in sections for piece in cutter.pieces(section)])
    return [
        Chunk(f"{module}#{number}", piece.start, piece.end, piece.headings, piece.tokens)
        for number, piece in enumerate(pieces, 1)
    ]


class _Cutter:
    def __init__(self, text: str, size: int, count: TokenCounter) -> None:
        self._text, self._size, self._count = text, size, count

    def pieces(self, section: Section) -> list[_Piece]:
        """A section as pieces of at most the size: whole paragraphs as long as they fit."""
        pieces: list[_Piece] = []
        for start, end in self._trim_spans(_spans(self._text, section.start, section.end, _PARAGRAPH_END)):
            tokens = self._tokens(start, end)
            if tokens <= self._size:
                self._put(pieces, _Piece(start, end, section.headings, tokens))
            else:
                for piece in self._sentences(start, end, section.headings):
                    self._put(pieces, piece)
        return pieces

    def _put(self, pieces: list[_Piece], piece: _Piece) -> None:
        """Adds a piece to the last one if both fit into one, else behind it."""
        joined = self._join(pieces[-1], piece) if pieces else None
        if joined:
            pieces[-1] = joined
        else:
            pieces.append(piece)

    def _join(self, piece: _Piece, other: _Piece) -> _Piece | None:
        """Two neighbours as one, under the headings that both have; None where they are larger than the size."""
        if piece.end > other.start or piece.tokens + other.tokens > self._size:
            return None
        tokens = self._tokens(piece.start, other.end)
        shared = [a for a, b in zip(piece.headings, other.headings, strict=False) if a == b]
        return _Piece(piece.start, other.end, tuple(shared), tokens) if tokens <= self._size else None

    def _sentences(self, start: int, end: int, headings: tuple[str, ...]) -> Iterator[_Piece]:
        for first, last in self._trim_spans(_spans(self._text, start, end, _SENTENCE_END)):
            tokens = self._tokens(first, last)
            if tokens <= self._size:
                yield _Piece(first, last, headings, tokens)
            else:
                yield from self._words(first, last, headings)

    def _words(self, start: int, end: int, headings: tuple[str, ...]) -> Iterator[_Piece]:
        """What has no border: as many words as fit, and the last of them again at the head of the next piece."""
        words = [(span, self._tokens(*span)) for span in _words(self._text, start, end)]
        first = 0
        while first < len(words):
            stop, tokens = first, 0
            while stop < len(words) and (tokens + words[stop][1] <= self._size or stop == first):
                tokens += words[stop][1]
                stop += 1
            yield _Piece(words[first][0][0], words[stop - 1][0][1], headings, tokens)
            if stop == len(words):
                return
            first = max(first + 1, self._overlap_start(words, first, stop))

    def _overlap_start(self, words: Sequence[tuple[tuple[int, int], int]], first: int, stop: int) -> int:
        left, start = self._size * _OVERLAP, stop
        while start > first + 1 and words[start - 1][1] <= left:
            start -= 1
            left -= words[start][1]
        return start

    def join_small(self, pieces: Sequence[_Piece]) -> list[_Piece]:
        """The pieces, small ones together with their neighbour if both fit into one."""
        kept: list[_Piece] = []
        for piece in pieces:
            is_small = bool(kept) and min(kept[-1].tokens, piece.tokens) < _SMALL * self._size
            if is_small and kept[-1].headings[:1] == piece.headings[:1] and (joined := self._join(kept[-1], piece)):
                kept[-1] = joined
            else:
                kept.append(piece)
        return kept

    def _tokens(self, start: int, end: int) -> int:
        return self._count(self._text[start:end])

    def _trim_spans(self, spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """The spans without blanks around them, and without those that are blank."""
        for start, end in spans:
            whole = self._text[start:end]
            if whole.strip():
                yield start + len(whole) - len(whole.lstrip("\n")), start + len(whole.rstrip())


def _spans(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """What stands between borders, each with the border behind it."""
    begin = start
    for match in border.finditer(text, start, end):
        if match.end() > begin:
            yield begin, match.end()
            begin = match.end()
    if begin < end:
        yield begin, end


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _WORD.finditer(text, start, end):
        yield from (
            (index, min(index + _RUN_CHARS, match.end())) for index in range(match.start(), match.end(), _RUN_CHARS)
        )
