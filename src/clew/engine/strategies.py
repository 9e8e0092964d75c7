"""How a compaction tells of what is older: what stays word for word, what becomes chunks, what sums up the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.compaction.pieces import UNREFERENCED_MESSAGES, Chunk, Piece, chunked, kept_runs
from clew.domain import Digest, Order, Strategy, Trio
from clew.engine.outgoing import Outgoing
from clew.history.transcript import as_text
from clew.summaries import Material, Rung, summarised
from clew.text.names import names_and_files_in

if TYPE_CHECKING:
    from clew.engine.session import Session

#: Of the room for what is older: runs word for word, a summary, or chunks take at most this share.
_KEPT_SHARE, _EXTRACT_SHARE, _CHUNKS_SHARE = 0.6, 0.35, 0.4
#: What a model wrote may take more: it was paid for.
_WRITTEN_SHARE = 0.5
_CHUNKS, _MOST_CHARS = 12, 200_000
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a strategy does with what is older; ``rung`` tells who summed it up."""

    strategy: Strategy
    rung: Rung = Rung.EXTRACTIVE
    kept: tuple[tuple[int, int], ...] = ()
    summary: str = ""
    sources: tuple[str, ...] = ()
    chunks: tuple[tuple[str, str], ...] = ()


class Strategies:
    def __init__(self, session: Session, outgoing: Outgoing) -> None:
        self._session, self._outgoing = session, outgoing

    def choose(self, order: Order | None, *, cut: int, room: int, count: Count) -> Chosen:
        """For what comes before the cut, within the room that is left for it."""
        strategy = order.strategy if order else Strategy.AUTO
        if strategy is Strategy.AGGRESSIVE:
            return Chosen(strategy=strategy)
        if strategy is Strategy.CHUNKED:
            return Chosen(strategy=strategy, chunks=self._chunks(cut, int(room * _CHUNKS_SHARE), count))
        if order and strategy in {Strategy.SELECTIVE, Strategy.AUTO}:
            kept, is_all = kept_runs(self.pieces(cut), room=int(room * _KEPT_SHARE))
            if strategy is Strategy.SELECTIVE or (is_all and kept):
                return Chosen(strategy=Strategy.SELECTIVE, kept=_runs(kept))
        return self._summarized(strategy, cut, room, count)

    def _summarized(self, strategy: Strategy, cut: int, room: int, count: Count) -> Chosen:
        """With the summary that a model wrote, if one fits; else, where it was asked for, with one from digests."""
        written = self._outgoing.summary()
        if written and count(written.text) <= room * _WRITTEN_SHARE:
            return Chosen(strategy=Strategy.SUMMARIZE, rung=written.rung, summary=written.text, sources=written.sources)
        if strategy is not Strategy.SUMMARIZE:
            return Chosen(strategy=Strategy.SUMMARIZE)
        digests = tuple(digest for _, digest, _ in self._digested(cut))
        made = summarised(Material(digests=digests), room=int(room * _EXTRACT_SHARE), count=count)
        return Chosen(strategy=strategy, rung=made.rung, summary=made.text, sources=made.sources)

    def _chunks(self, cut: int, room: int, count: Count) -> tuple[tuple[str, str], ...]:
        """As many as fit, the fewest of which stand for everything."""
        pieces = self.pieces(cut)
        for number in range(min(_CHUNKS, len(pieces)), 0, -1):
            told = [_told(chunk) for chunk in chunked(pieces, count=number)]
            if sum(count(f"{id} {text}") + 1 for id, text in told) <= room:
                return tuple(told)
        return ()

    def pieces(self, cut: int) -> list[Piece]:
        """Segments before the cut, with how relevant they are and whether the newest messages speak of them."""
        newest = as_text(self._session.newest(UNREFERENCED_MESSAGES))[-_MOST_CHARS:]
        spoken = set(names_and_files_in(newest))
        weighed = self._session.relevance()
        found = []
        for (first, last, id), digest, trio in self._digested(cut):
            names = {fact.text for fact in (*digest.names, *digest.files)}
            relevance = weighed.get(id)
            found.append(
                Piece(
                    id=id,
                    first=first,
                    last=last,
                    tokens=digest.tokens,
                    header=trio.header.line,
                    points=tuple(filter(None, (trio.summary.content.split("\n")[0],))),
                    decisions=trio.summary.decisions,
                    relevance=relevance.score if relevance else 1.0,
                    because=relevance.explained if relevance else "under way",
                    is_referenced=bool(names & spoken),
                    is_critical=bool(relevance and relevance.is_critical),
                )
            )
        return found

    def _digested(self, cut: int) -> Sequence[tuple[tuple[int, int, str], Digest, Trio]]:
        digested = self._session.digested()
        known = [(segment, id) for segment, id in self._session.outline() if segment.last < cut and not segment.left]
        out = []
        for segment, id in known:
            digest, trio = digested.digest(segment.id), digested.trio(segment.id)
            if digest and trio:
                out.append(((segment.first, segment.last, id), digest, trio))
        return out


def _runs(pieces: Sequence[Piece]) -> tuple[tuple[int, int], ...]:
    """Messages of these pieces, as runs."""
    runs: list[tuple[int, int]] = []
    for piece in pieces:
        if runs and runs[-1][1] == piece.first - 1:
            runs[-1] = (runs[-1][0], piece.last)
        else:
            runs.append((piece.first, piece.last))
    return tuple(runs)


def _told(chunk: Chunk) -> tuple[str, str]:
    return chunk.id, chunk.text
