"""Candidates of a compaction:
the older segments of a session, which of them stay word for word, and runs of them as chunks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

#: A segment is unreferenced if none of this many newest messages mentions its names.
UNREFERENCED_MESSAGES = 10
#: A segment is not needed below this relevance. Closeness to the topic alone does not reach it.
_IRRELEVANT = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentCandidate:
    """A segment that a strategy keeps or replaces.

    ``header``, ``points`` and ``decisions`` are what stands for it when it is replaced. ``relevance`` goes from 0 to 1;
    ``because`` explains it. ``is_referenced`` says that the newest messages mention its names.
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
    def is_expendable(self) -> bool:
        """True when its words are not needed: irrelevant, unreferenced, not critical and without a decision."""
        wanted = self.is_referenced or self.is_critical or bool(self.decisions)
        return not wanted and self.relevance < _IRRELEVANT


@dataclass(frozen=True, slots=True)
class SegmentChunk:
    """A run of segments that is replaced by one text: its key points and decisions."""

    segments: tuple[SegmentCandidate, ...]
    points: tuple[str, ...]
    decisions: tuple[str, ...]

    @property
    def id(self) -> str:
        """The id of the segment, or of the span from the first to the last."""
        first, last = self.segments[0].id, self.segments[-1].id
        return first if first == last else f"{first}–{last}"

    @property
    def tokens(self) -> int:
        """Tokens of the segments that it replaces."""
        return sum(segment.tokens for segment in self.segments)

    @property
    def text(self) -> str:
        """The text that stands for the segments in the snapshot."""
        said = [f"({self.tokens:,} tokens)", *self.points]
        return "; ".join([*said, *(f"decided: {decision}" for decision in self.decisions)])


def choose_kept(candidates: Sequence[SegmentCandidate], *, room: int) -> tuple[tuple[SegmentCandidate, ...], bool]:
    """Chooses segments that stay word for word within ``room`` tokens:
    critical ones first, then those referenced, then by relevance and age.

    Returns them in order, and whether all that are not expendable fit.
    """
    wanted = [candidate for candidate in candidates if not candidate.is_expendable]
    ranked = sorted(
        wanted,
        key=lambda candidate: (-candidate.is_critical, -candidate.is_referenced, -candidate.relevance, -candidate.last),
    )
    kept: list[SegmentCandidate] = []
    for candidate in ranked:
        if candidate.tokens <= room:
            kept.append(candidate)
            room -= candidate.tokens
    return tuple(sorted(kept, key=lambda candidate: candidate.first)), len(kept) == len(wanted)


def split_into_chunks(candidates: Sequence[SegmentCandidate], *, count: int) -> list[SegmentChunk]:
    """Splits the segments into at most ``count`` runs of about equal tokens."""
    total = sum(candidate.tokens for candidate in candidates)
    chunks: list[SegmentChunk] = []
    run: list[SegmentCandidate] = []
    taken = 0
    for candidate in candidates:
        run.append(candidate)
        taken += candidate.tokens
        if taken >= total * (len(chunks) + 1) / max(count, 1) or candidate is candidates[-1]:
            chunks.append(_chunk(run))
            run = []
    return chunks


_POINTS, _DECISIONS = 4, 3


def _chunk(run: Sequence[SegmentCandidate]) -> SegmentChunk:
    """Has the points of the segments that say most: those with decisions, then the largest; in order."""
    ranked = sorted(run, key=lambda candidate: (-len(candidate.decisions), -len(candidate.points), -candidate.tokens))
    best = sorted(ranked[:_POINTS], key=lambda candidate: candidate.first)
    points = dict.fromkeys(candidate.points[0] if candidate.points else candidate.header for candidate in best)
    decisions = dict.fromkeys(decision for candidate in run for decision in candidate.decisions)
    return SegmentChunk(tuple(run), tuple(filter(None, points)), tuple(decisions)[-_DECISIONS:])
