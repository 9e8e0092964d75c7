"""Search: finds the messages and segments of a session that match a query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice

from clew.domain import UnitUse
from clew.domain.ids import BlobId, message_id
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.history.message_text import transcript_text
from clew.history.overview import OverviewProjection, place_of
from clew.ports import WORDS
from clew.retrieval.documents import DocumentKind
from clew.retrieval.feedback import describe, rank_by_use
from clew.retrieval.fusion import Figures, Nearness, Preference, Ranked, rank
from clew.retrieval.projection import LABELS, MARKS, SIZES, TIMES, figures_in
from clew.retrieval.query import Query, read_query
from clew.retrieval.speakers import find_speakers
from clew.text.secrets import mask
from clew.text.trim import cut_at_word, one_line

#: Most messages that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000
#: How much of a message a result shows.
_TEXT_CHARS = 400
_BLOB_DIGITS = 12
#: Newest messages in which "it" and "that file" are looked for, and how much is read of each.
_RECENT, _RECENT_CHARS = 8, 4_000
#: Most messages of a time that are looked at for that alone.
_IN_TIME = 2_000
#: Of so many of the best, feedback may change the order.
_JUDGED = 200

FindNearness = Callable[[str], Nearness | None]


@dataclass(frozen=True, slots=True)
class Match:
    """A message that matches a query; ``why`` has the parts of its score. Scores compare within one search only."""

    number: int
    id: str
    score: float
    why: Mapping[str, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """What matches a query: how well, the messages that match, best first, and how the best one begins, secrets masked.
    Scores compare within one search only; ``why`` has the parts of the score, ``source`` says where it comes from, and
    ``feedback`` how often replies used it.
    """

    id: str
    session: str
    score: float
    messages: tuple[str, ...]
    text: str
    kind: str = "segment"
    source: str = ""
    why: Mapping[str, float] = field(default_factory=dict, compare=False)
    feedback: str = field(default="", compare=False)


class SessionSearch:
    """Searches one session by words, and by meaning where ``nearness`` knows of any. ``now`` is what "yesterday" goes
    by; without it, the time of the newest message. ``uses`` say how often replies used messages, by id.
    """

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        *,
        nearness: FindNearness | None = None,
        now: float = 0.0,
        uses: Mapping[str, UnitUse] | None = None,
    ) -> None:
        self._ledger, self._reader, self._nearness, self._now = ledger, reader, nearness, now
        self._uses = uses or {}

    def segments(self, query: str, *, limit: int) -> list[SearchResult]:
        """Returns segments of the prompt view that match the query, best first, each by its best message."""
        with self._ledger.steady():
            return self._segments(query, limit)

    def messages(self, query: str, *, limit: int) -> list[Match]:
        """Returns messages of the prompt view that match the query, best first; of equals, the newest first."""
        return [Match(one.number, message_id(one.number), one.score, one.why) for one in self._ranked(query, limit)]

    def results(self, query: str, *, limit: int, kind: str = DocumentKind.SEGMENT) -> list[SearchResult]:
        """Returns what matches the query, best first: segments, messages, or blobs: outputs that are kept whole."""
        if kind == DocumentKind.SEGMENT:
            return self.segments(query, limit=limit)
        if kind == DocumentKind.MESSAGE:
            return [self._result(one.id, [one], kind=kind) for one in self.messages(query, limit=limit)]
        return list(islice(self._blobs(query), limit))

    def _blobs(self, query: str) -> Iterator[SearchResult]:
        for match in self.messages(query, limit=_CANDIDATES):
            for message in self._reader.read_range(match.number, match.number):
                for output in message.outputs:
                    digest = sha256(output.text.encode("utf-8", "surrogatepass")).hexdigest()
                    if self._ledger.find_blobs(digest):
                        yield self._result(str(BlobId(digest[:_BLOB_DIGITS])), [match], kind=DocumentKind.BLOB)

    def _segments(self, query: str, limit: int) -> list[SearchResult]:
        outline, overview = self._reader.outline(), self._ledger.rows(OverviewProjection.name)
        starts = [segment.first for segment, _ in outline]
        found: dict[int, list[Match]] = {}
        for place, match in enumerate(self.messages(query, limit=_CANDIDATES)):
            if place >= limit <= len(found):
                break
            at = bisect_right(starts, place_of(match.number, overview)) - 1
            # Of a segment that was found already, only what would be among the best by itself.
            if at in found and place < limit:
                found[at].append(match)
            elif at >= 0 and at not in found and len(found) < limit:
                found[at] = [match]
        return [self._result(outline[at][1], matches) for at, matches in found.items()]

    def _result(self, id: str, matches: Sequence[Match], kind: str = "segment") -> SearchResult:
        best = matches[0]
        text = mask(one_line(transcript_text(self._reader.read_range(best.number, best.number))))
        return SearchResult(
            id=id,
            session=self._ledger.id,
            score=best.score,
            messages=tuple(match.id for match in matches),
            text=cut_at_word(text, _TEXT_CHARS),
            kind=kind,
            source=f"{self._ledger.id}#{best.id}",
            why=best.why,
            feedback=describe(self._uses.get(best.id)),
        )

    # ── how they are ranked ──────────────────────────────────────────────────────────────────────────

    def _ranked(self, query: str, limit: int) -> list[Ranked]:
        figures = self._figures()
        if not any(figures.sizes):
            return []
        read = read_query(query, now=self._now or self._newest_time(), recent=self._recent_texts())
        if not read.words:
            return []
        speakers = find_speakers(read.names, figures, lambda words: self._ledger.find_words(words, _CANDIDATES))
        named = read.without(speakers.names)
        preference = Preference(
            labels=speakers.labels,
            persons=speakers.persons,
            asker=read.asker and not speakers.names,
            in_time=self._in_time(read, figures),
        )
        postings = self._ledger.find_words(named.words, _CANDIDATES)
        nearness = self._nearness(named.meaning) if self._nearness else None
        most = max(limit, _JUDGED) if self._uses else limit
        ranked = rank(postings, figures, limit=most, nearness=nearness, preference=preference)
        return rank_by_use(ranked, self._uses)[:limit]

    def _figures(self) -> Figures:
        rows = self._ledger.rows(WORDS, alone=True)
        return Figures(
            figures_in(rows.scan(SIZES, SIZES + "~")),
            figures_in(rows.scan(MARKS, MARKS + "~")),
            rows.get(LABELS) or (),
        )

    def _recent_texts(self) -> list[str]:
        recent = self._reader.recent_messages(_RECENT, shared=True)
        return [transcript_text([message])[:_RECENT_CHARS] for message in recent]

    def _newest_time(self) -> float:
        return max((message.at or 0.0 for message in self._reader.recent_messages(1, shared=True)), default=0.0)

    def _in_time(self, query: Query, figures: Figures) -> Collection[int] | None:
        """The messages of the time that the query names, or before or after what it names; None if it names none."""
        if query.span is not None:
            times = figures_in(self._ledger.rows(WORDS, alone=True).scan(TIMES, TIMES + "~"))
            start, end = query.span
            return {number for number, at in enumerate(times) if start <= at < end} or None
        if not query.event:
            return None
        event = read_query(query.event).words
        found = rank(self._ledger.find_words(event, _CANDIDATES), figures, limit=1)
        if not found:
            return None
        at = found[0].number
        return range(max(1, at - _IN_TIME), at) if query.relation == "before" else range(at + 1, at + 1 + _IN_TIME)


def search_messages(ledger: SessionLedger, reader: SessionReader, query: str, *, limit: int) -> list[Match]:
    """Returns messages that match the query by words, best first: the same whatever else is installed."""
    return SessionSearch(ledger, reader).messages(query, limit=limit)
