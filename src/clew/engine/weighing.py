"""How relevant the segments of a session are to the work as it stands. What a finished segment holds is read once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

import orjson

from clew.digests.reading import Digested
from clew.domain import Item, Segment
from clew.engine.searching import relevant
from clew.history.segments import Segments, segment_of
from clew.signals.relevance import Part, Relevance, relevances

if TYPE_CHECKING:
    from clew.engine.session import Session

#: Messages that are weighed by their words against the topic.
_MATCHES = 400


class Weighing:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._held: dict[tuple[int, str], frozenset[str]] = {}

    def relevances(self, items: Sequence[Item], *, topic: str = "", last: int | None = None) -> dict[str, Relevance]:
        """By id as the outline has it, in order; of the ``last`` few, if so many are enough.

        The segment under way is not weighed: it is what the others are weighed against. ``items`` are critical.
        """
        known = self._segments(last)
        if len(known) < 2:
            return {}
        *older, newest = known
        close = self._closeness(older, topic) if topic else {}
        pinned = {int(item.source[1:]) for item in items if item.is_in_force and item.source[:1] == "m"}
        digested, version = self._session.digested(), self._session.info.version
        several = {one.exchange for one in known if one.part > 1}
        parts = [
            Part(
                id=one.id if one.exchange in several else one.exchange_id,
                last=one.last,
                tokens=one.tokens,
                names=self._names(one, digested, version),
                topic=close.get(one.id, 0.0),
                is_critical=any(one.first <= number <= one.last for number in pinned),
            )
            for one in older
        ]
        spoken = dict.fromkeys(digested.held(newest.id), newest.last)
        found = relevances(parts, now=newest.last, newest=spoken)
        return {one.id: one for one in found}

    def score(self, items: Sequence[Item], *, last: int) -> float:
        """How relevant what is older is on the whole, by tokens; 1 while there is nothing older."""
        found = self.relevances(items, last=last).values()
        tokens = sum(one.tokens for one in found)
        return round(sum(one.score * one.tokens for one in found) / tokens, 4) if tokens else 1.0

    def _segments(self, last: int | None) -> list[Segment]:
        """Those of the prompt view."""
        rows = self._session.engine.store.rows(self._session.key, Segments.name, start="0", last=last)
        found = [segment_of(name, orjson.loads(row)) for name, row in rows]
        return [one for one in found if not one.left]

    def _names(self, segment: Segment, digested: Digested, version: int) -> frozenset[str]:
        name = (version, segment.id)  # rewriting may change what an old segment holds
        if name not in self._held:
            self._held[name] = digested.held(segment.id)
        return self._held[name]

    def _closeness(self, segments: list[Segment], topic: str) -> dict[str, float]:
        """The best message of each segment, as a share of the best of all."""
        firsts, found = [one.first for one in segments], relevant(self._session, topic, limit=_MATCHES)
        best: dict[str, float] = {}
        for match in found:
            at = bisect_right(firsts, match.number) - 1
            if at >= 0 and match.number <= segments[at].last:
                best[segments[at].id] = max(best.get(segments[at].id, 0.0), match.score / found[0].score)
        return best
