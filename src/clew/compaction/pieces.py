"""What strategies weigh: a session's segments, each with what was drawn from it, and which of them may go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: What nobody has spoken of for so many messages is unreferenced.
UNREFERENCED_MESSAGES = 10
#: What is less relevant than this is not needed: closeness to the topic alone does not reach it.
_IRRELEVANT = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A segment: its messages, what it holds, and what stands for it at smaller sizes.

    ``relevance`` is from 0 to 1, ``because`` says why. ``is_referenced``: its names came up among the newest messages.
    """

    id: str
    first: int
    last: int
    tokens: int
    header: str = ""
    points: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    relevance: float = 0.0
    because: str = ""
    is_referenced: bool = False
    is_critical: bool = False

    @property
    def may_go(self) -> bool:
        """True when its words are not needed: irrelevant, unreferenced, neither critical nor with a decision."""
        wanted = self.is_referenced or self.is_critical or bool(self.decisions)
        return not wanted and self.relevance < _IRRELEVANT


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of segments told as one: its key points and decisions, and the tokens it stands for."""

    pieces: tuple[Piece, ...]
    points: tuple[str, ...]
    decisions: tuple[str, ...]

    @property
    def id(self) -> str:
        first, last = self.pieces[0].id, self.pieces[-1].id
        return first if first == last else f"{first}–{last}"

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)

    @property
    def text(self) -> str:
        said = [f"({self.tokens:,} tokens)", *self.points]
        return "; ".join([*said, *(f"decided: {one}" for one in self.decisions)])


def kept_runs(pieces: Sequence[Piece], *, room: int) -> tuple[tuple[Piece, ...], bool]:
    """Pieces that stay word for word, the most relevant and newest first into the room; and whether all wanted fit."""
    wanted = [piece for piece in pieces if not piece.may_go]
    ranked = sorted(wanted, key=lambda one: (-one.is_critical, -one.is_referenced, -one.relevance, -one.last))
    kept: list[Piece] = []
    for piece in ranked:
        if piece.tokens <= room:
            kept.append(piece)
            room -= piece.tokens
    return tuple(sorted(kept, key=lambda one: one.first)), len(kept) == len(wanted)


def chunked(pieces: Sequence[Piece], *, count: int) -> list[Chunk]:
    """Runs of about equal tokens, at most ``count``."""
    total = sum(piece.tokens for piece in pieces)
    chunks: list[Chunk] = []
    run: list[Piece] = []
    told = 0
    for piece in pieces:
        run.append(piece)
        told += piece.tokens
        if told >= total * (len(chunks) + 1) / max(count, 1) or piece is pieces[-1]:
            chunks.append(_chunk(run))
            run = []
    return chunks


_POINTS, _DECISIONS = 4, 3


def _chunk(run: Sequence[Piece]) -> Chunk:
    """The points of the pieces that tell most: those with decisions, then the largest; in order."""
    ranked = sorted(run, key=lambda one: (-len(one.decisions), -len(one.points), -one.tokens))
    telling = sorted(ranked[:_POINTS], key=lambda one: one.first)
    points = dict.fromkeys(one.points[0] if one.points else one.header for one in telling)
    decisions = dict.fromkeys(decision for one in run for decision in one.decisions)
    return Chunk(tuple(run), tuple(filter(None, points)), tuple(decisions)[-_DECISIONS:])
