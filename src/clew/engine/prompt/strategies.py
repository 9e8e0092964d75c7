"""Strategies: decide which older segments stay word for word, and which become chunks or a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.compaction.candidates import UNREFERENCED_MESSAGES, SegmentCandidate, choose_kept, split_into_chunks
from clew.domain import CompactionRequest, Digest, Segment, Strategy, Trio
from clew.engine.health.monitor import HealthMonitor
from clew.engine.session_core import SessionCore
from clew.history.message_text import transcript_text
from clew.ports import TokenCounter
from clew.summaries.values import Rung
from clew.text.names import names_and_files_in

#: Shares of the room for older parts: segments kept word for word, chunks.
_KEPT_SHARE, _CHUNKS_SHARE = 0.6, 0.4
#: A model's summary may take more: it was paid for.
_WRITTEN_SHARE = 0.5
_CHUNKS, _MOST_CHARS = 12, 200_000
#: Lines of a segment's summary that stand for it in a chunk: what was asked and what was reported.
_POINT_LINES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyResult:
    """What a strategy decided for the older part.

    ``kept`` are ranges of messages that stay word for word, ``chunks`` pairs of id and text. ``summary`` is what a
    model wrote from ``sources``, up to message ``summarised``; without one, the snapshot's own units stand for them.
    ``rung`` says which of the two.
    """

    strategy: Strategy
    rung: Rung = Rung.EXTRACTIVE
    kept: tuple[tuple[int, int], ...] = ()
    summary: str = ""
    sources: tuple[str, ...] = ()
    summarised: int = 0
    chunks: tuple[tuple[str, str], ...] = ()


class Strategies:
    """Applies strategies to one session."""

    def __init__(self, core: SessionCore, monitor: HealthMonitor) -> None:
        self._reader, self._log, self._monitor = core.reader, core.log, monitor

    def choose(
        self, request: CompactionRequest | None, *, tail_start: int, room: int, count: TokenCounter
    ) -> StrategyResult:
        """Decides about the messages before ``tail_start``, within ``room`` tokens.
        Without a request, or where a model has written a summary, AUTO does not keep segments.
        """
        strategy = request.strategy if request else Strategy.AUTO
        if strategy is Strategy.AGGRESSIVE:
            return StrategyResult(strategy=strategy)
        if strategy is Strategy.CHUNKED:
            return StrategyResult(strategy=strategy, chunks=self._chunks(tail_start, int(room * _CHUNKS_SHARE), count))
        written = self._with_written_summary(room, count)
        if request and strategy is Strategy.SELECTIVE:
            chosen, _ = choose_kept(self.candidates(tail_start), room=int(room * _KEPT_SHARE))
            return StrategyResult(strategy=strategy, kept=_runs(chosen))
        is_open = request and strategy is Strategy.AUTO and not written.summary
        needed = self._needed_segments(tail_start, int(room * _KEPT_SHARE)) if is_open else []
        return StrategyResult(strategy=Strategy.SELECTIVE, kept=_runs(needed)) if needed else written

    def _needed_segments(self, tail_start: int, room: int) -> list[SegmentCandidate]:
        """Segments that are not expendable, if all of them fit, else none. The newest are the least expendable, so that
        of a long session only a few are read.
        """
        needed: list[SegmentCandidate] = []
        for candidate in self._from_the_end(tail_start):
            if not candidate.is_expendable:
                needed.append(candidate)
                room -= candidate.tokens
            if room < 0:
                return []
        return needed[::-1]

    def _with_written_summary(self, room: int, count: TokenCounter) -> StrategyResult:
        """With the summary that a model wrote, if one fits: it was paid for, and is shown."""
        written = self._log.summary()
        if written is None or count(written.text) > room * _WRITTEN_SHARE:
            return StrategyResult(strategy=Strategy.SUMMARIZE)
        return StrategyResult(
            strategy=Strategy.SUMMARIZE,
            rung=written.rung,
            summary=written.text,
            sources=written.sources,
            summarised=self._log.state().summarised,
        )

    def _chunks(self, tail_start: int, room: int, count: TokenCounter) -> tuple[tuple[str, str], ...]:
        """As many as fit, the fewest of which stand for everything."""
        candidates = self.candidates(tail_start)
        for number in range(min(_CHUNKS, len(candidates)), 0, -1):
            chunks = [(chunk.id, chunk.text) for chunk in split_into_chunks(candidates, count=number)]
            if sum(count(f"{id} {text}") + 1 for id, text in chunks) <= room:
                return tuple(chunks)
        return ()

    def candidates(self, tail_start: int) -> list[SegmentCandidate]:
        """Returns the segments before ``tail_start``, with their relevance and whether newest messages mention them."""
        return list(self._from_the_end(tail_start))[::-1]

    def _from_the_end(self, tail_start: int) -> Iterator[SegmentCandidate]:
        """The newest first, each read when it is asked for."""
        newest = transcript_text(self._reader.recent_messages(UNREFERENCED_MESSAGES))[-_MOST_CHARS:]
        spoken, weighed = set(names_and_files_in(newest)), self._monitor.relevance()
        for segment, id, digest, trio in self._digested_segments(tail_start):
            names = {fact.text for fact in (*digest.names, *digest.files)}
            relevance = weighed.get(id)
            yield SegmentCandidate(
                id=id,
                first=segment.first,
                last=segment.last,
                tokens=digest.tokens,
                header=trio.header.line,
                points=tuple(filter(None, (" ".join(trio.summary.text.split("\n")[:_POINT_LINES]),))),
                decisions=trio.summary.decisions,
                relevance=relevance.score if relevance else 1.0,
                because=relevance.explanation if relevance else "under way",
                is_referenced=bool(names & spoken),
                is_critical=bool(relevance and relevance.is_critical),
            )

    def _digested_segments(self, tail_start: int) -> Iterator[tuple[Segment, str, Digest, Trio]]:
        digested = self._reader.digests()
        for segment, id in reversed(self._reader.outline()):
            if segment.last < tail_start and not segment.rolled_back:
                digest, trio = digested.digest(segment.id), digested.trio(segment.id)
                if digest and trio:
                    yield segment, id, digest, trio


def _runs(candidates: Sequence[SegmentCandidate]) -> tuple[tuple[int, int], ...]:
    """Messages of these pieces, as runs."""
    runs: list[tuple[int, int]] = []
    for candidate in candidates:
        if runs and runs[-1][1] == candidate.first - 1:
            runs[-1] = (runs[-1][0], candidate.last)
        else:
            runs.append((candidate.first, candidate.last))
    return tuple(runs)
