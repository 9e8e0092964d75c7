"""The relevance scorer: how relevant the segments of a session are to its current work."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from clew.digests.reader import DigestReader
from clew.domain import CriticalItem, Segment
from clew.domain.ids import message_number
from clew.domain.segments import shortest_ids
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.signals.relevance import Relevance, SessionPart, relevances

#: Messages that are compared with the topic by their words.
_MATCHES = 400


class RelevanceScorer:
    """Scores segments. The names in a segment are read once for each version of the session."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader) -> None:
        self._ledger, self._reader = ledger, reader
        self._names: dict[tuple[int, str], frozenset[str]] = {}
        self._known: tuple[object, dict[str, Relevance]] | None = None

    def scores(
        self, items: Sequence[CriticalItem], *, topic: str = "", last: int | None = None
    ) -> dict[str, Relevance]:
        """Returns scores by id as the outline has it, in order; with ``last``, of that many newest segments only.

        The newest segment has no score: the others are compared with it.
        ``items`` make the segments they come from critical. Of one state of the session they are worked out once.
        """
        asked = (self._ledger.is_stored, self._reader.info, tuple(items), topic, last)
        if self._known is None or self._known[0] != asked:
            self._known = (asked, self._scores(items, topic, last))
        return dict(self._known[1])

    def _scores(self, items: Sequence[CriticalItem], topic: str, last: int | None) -> dict[str, Relevance]:
        segments = [segment for segment in self._reader.segments(last=last) if not segment.rolled_back]
        if len(segments) < 2:
            return {}
        *older, newest = segments
        close = self._closeness(older, topic) if topic else {}
        pinned = {message_number(item.source) for item in items if item.is_in_force} - {0}
        digests, version = self._reader.digests(), self._reader.info.version
        parts = [
            SessionPart(
                id=id,
                last=segment.last,
                tokens=segment.tokens,
                names=self._names_in(segment, digests, version),
                topic=close.get(segment.id, 0.0),
                is_critical=any(segment.first <= number <= segment.last for number in pinned),
            )
            for segment, id in zip(older, shortest_ids(segments), strict=False)
        ]
        spoken = dict.fromkeys(digests.names_in_segment(newest.id), newest.last)
        ranked = relevances(parts, now=newest.last, newest=spoken)
        return {relevance.id: relevance for relevance in ranked}

    def average(self, items: Sequence[CriticalItem], *, last: int) -> float:
        """Returns the average relevance of older segments, weighted by tokens; 1 while there are none."""
        relevances = self.scores(items, last=last).values()
        tokens = sum(relevance.tokens for relevance in relevances)
        return round(sum(relevance.score * relevance.tokens for relevance in relevances) / tokens, 4) if tokens else 1.0

    def _names_in(self, segment: Segment, digests: DigestReader, version: int) -> frozenset[str]:
        name = (version, segment.id)  # rewriting may change what an old segment holds
        if name not in self._names:
            self._names[name] = digests.names_in_segment(segment.id)
        return self._names[name]

    def _closeness(self, segments: list[Segment], topic: str) -> dict[str, float]:
        """The best message of each segment, as a share of the best of all."""
        from clew.engine.read.search import search_messages  # here, as only a topic is searched for

        firsts = [segment.first for segment in segments]
        matches = search_messages(self._ledger, self._reader, topic, limit=_MATCHES)
        best: dict[str, float] = {}
        for match in matches:
            index = bisect_right(firsts, match.number) - 1
            if index >= 0 and match.number <= segments[index].last:
                best[segments[index].id] = max(best.get(segments[index].id, 0.0), match.score / matches[0].score)
        return best
