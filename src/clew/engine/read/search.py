"""Search: finds the messages and segments of a session that match a query."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import islice

from clew.domain import UnitUse
from clew.domain.ids import BlobId, message_id, message_number
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.read.search_result import Match, ResultReader, SearchResult
from clew.history.message_text import transcript_text
from clew.history.overview import OverviewProjection, place_of, row_name
from clew.ports import WORDS
from clew.retrieval.documents import DocumentKind
from clew.retrieval.exact_first import READ_FOR_PHRASES, exact_first, together
from clew.retrieval.exact_words import exact_words
from clew.retrieval.feedback import rank_by_use
from clew.retrieval.fusion import PERSON, Figures, Nearness, Preference, Ranked, Speakers, find_speakers, rank
from clew.retrieval.neighbours import DistinctMessages
from clew.retrieval.projection import LABELS, MARKS, SIZES, TIMES, figures_in, indexed_text, said_at
from clew.retrieval.query import Query, read_query
from clew.retrieval.search_cache import CountedCache, RankingKey
from clew.retrieval.words import query_words

#: Most messages that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000
#: Matches that are looked through for those that say the same: so many, or so many times as many as are shown.
_COMPARED, _COMPARED_SHARE = 20, 2
_BLOB_DIGITS = 12
#: A text with fewer tokens is not kept as a blob: those begin at four thousand characters.
_LEAST_BLOB_TOKENS = 100
#: Newest messages in which "it" and "that file" are looked for, and how much is read of each.
_RECENT, _RECENT_CHARS = 8, 4_000
#: Most messages of a time that are looked at for that alone.
_IN_TIME = 2_000
#: Of so many of the best, feedback may change the order.
_JUDGED = 200

FindNearness = Callable[[str], Nearness | None]


class SessionSearch:
    """Searches one session by words, and by meaning where ``nearness`` knows of any. ``now`` is what "yesterday" goes
    by; without it, the time of the newest message. ``uses`` say how often replies used messages, by id.
    ``cache`` has rankings that were made before.
    """

    def __init__(
        self,
        ledger: SessionLedger,
        reader: SessionReader,
        *,
        nearness: FindNearness | None = None,
        now: float = 0.0,
        uses: Mapping[str, UnitUse] | None = None,
        cache: CountedCache[Sequence[Ranked]] | None = None,
    ) -> None:
        self._ledger, self._reader, self._nearness, self._now = ledger, reader, nearness, now
        self._uses, self._cache = uses or {}, cache
        self._shown = ResultReader(ledger, reader, self._uses)

    @property
    def uses(self) -> Mapping[str, UnitUse]:
        """How often replies used messages, by id."""
        return self._uses

    def messages(self, query: str, *, limit: int) -> list[Match]:
        """Returns messages of the prompt view that match the query, best first; of equals, the newest first."""
        return [match_of(message) for message in self._rank_messages(query, limit)]

    def results(self, query: str, *, limit: int, kind: str = DocumentKind.SEGMENT) -> list[SearchResult]:
        """Returns what matches the query, best first, what says it word for word before all else: segments, messages,
        or blobs: outputs that are kept whole. What says the same as something better is listed with that, by its id.
        """
        with self._ledger.steady():
            return self.results_of(query, self._exact_first(query), limit=limit, kind=kind)

    def results_of(self, query: str, matches: Sequence[Match], *, limit: int, kind: str) -> list[SearchResult]:
        """Returns what is shown of messages that match, best first."""
        with self._ledger.steady():
            distinct = self._distinct(matches, limit)
            if kind == DocumentKind.SEGMENT:
                return self._segments(query, distinct, limit)
            if kind == DocumentKind.BLOB:
                return list(islice(self._blobs(query, distinct), limit))
            return [
                self._shown.result(match.id, [match], query=query, kind=kind, alike=match.alike)
                for match in distinct[:limit]
            ]

    def text(self, number: int) -> str:
        """Returns what the index read of a message; empty where it is lost."""
        return "\n".join(map(indexed_text, self._reader.read_range(number, number, shared=True)))

    def _exact_first(self, query: str) -> list[Match]:
        exact = exact_words(query)
        if not exact:
            return self.messages(query, limit=_CANDIDATES)
        key, figures, words = self._ledger.key, read_figures(self._ledger), query_words(exact.quoted or query)
        postings = self._ledger.find_words(words, READ_FOR_PHRASES if exact.phrases else _CANDIDATES)
        ranked = exact_first(
            lambda: {(key, message.number): message for message in self._rank_messages(query, _CANDIDATES)},
            ((key, number) for number in together(postings, words, figures.sizes)),
            exact,
            read=lambda place: self.text(place[1]),
            is_person=lambda place: bool(figures.mark(place[1]) & PERSON),
        )
        return [match_of(match) for _, match in ranked]

    def _blobs(self, query: str, matches: Iterable[Match]) -> Iterator[SearchResult]:
        overview, seen = self._ledger.rows(OverviewProjection.name, alone=True), set[str]()
        for match in matches:
            outputs = (overview.get(row_name(match.number)) or {}).get("outputs", ())
            if all(tokens < _LEAST_BLOB_TOKENS for _, _, tokens in outputs):
                continue
            for message in self._reader.read_range(match.number, match.number, shared=True):
                for output in message.outputs:
                    digest = sha256(output.text.encode("utf-8", "surrogatepass")).hexdigest()
                    if digest not in seen and self._ledger.find_blobs(digest):
                        seen.add(digest)
                        id = str(BlobId(digest[:_BLOB_DIGITS]))
                        yield self._shown.result(id, [match], query=query, kind=DocumentKind.BLOB, alike=match.alike)

    def _segments(self, query: str, matches: Sequence[Match], limit: int) -> list[SearchResult]:
        outline, overview = self._reader.outline(), self._ledger.rows(OverviewProjection.name, alone=True)
        starts = [segment.first for segment, _ in outline]

        def segment_at(number: int) -> int:
            return bisect_right(starts, place_of(number, overview)) - 1

        by_segment: dict[int, list[Match]] = {}
        for place, match in enumerate(matches):
            if place >= limit <= len(by_segment):
                break
            index = segment_at(match.number)
            # Of a segment that was found already, only what would be among the best by itself.
            if index in by_segment and place < limit:
                by_segment[index].append(match)
            elif index >= 0 and index not in by_segment and len(by_segment) < limit:
                by_segment[index] = [match]
        alike = {
            index: {segment_at(message_number(id)) for id in matches[0].alike} for index, matches in by_segment.items()
        }
        return [
            self._shown.result(
                outline[index][1],
                matches,
                query=query,
                alike=[outline[other][1] for other in sorted(alike[index] - {*by_segment})],
            )
            for index, matches in by_segment.items()
        ]

    def _distinct(self, matches: Sequence[Match], limit: int) -> list[Match]:
        """Messages that match, best first; of those that say the same, the best with the ids of the others. So many
        are compared as a list of this length may need; the rest stand as they are.
        """
        seen = DistinctMessages()
        compared = matches[: max(_COMPARED, _COMPARED_SHARE * limit)]
        alike: dict[int, list[str]] = {}
        for match in compared:
            message = next(iter(self._reader.read_range(match.number, match.number, shared=True)), None)
            first = seen.add(message) if message else None
            alike.setdefault(first or match.number, []).extend([match.id] if first else [])
        best = [replace(match, alike=tuple(alike[match.number])) for match in compared if match.number in alike]
        return [*best, *matches[len(compared) :]]

    # ── how they are ranked ──────────────────────────────────────────────────────────────────────────

    def _rank_messages(self, query: str, limit: int) -> Sequence[Ranked]:
        state, figures = self._ledger.info, read_figures(self._ledger)
        if not any(figures.sizes):
            return []
        read = read_query(query, now=self._now or self._newest_time(), recent=self._recent_texts())
        if not read.words:
            return []
        speakers = find_speakers(read.names, figures, lambda words: self._ledger.find_words(words, _CANDIDATES))
        named = read.without_names(speakers.names)
        nearness = self._nearness(named.meaning) if self._nearness else None
        most = max(limit, _JUDGED) if self._uses else limit

        def make() -> Sequence[Ranked]:
            preference = _preference(read, speakers, self._in_time(read, figures))
            postings = self._ledger.find_words(named.words, _CANDIDATES)
            return rank(postings, figures, limit=most, nearness=nearness, preference=preference)

        asked = (frozenset(named.words), speakers.labels, speakers.persons, bool(speakers.names), read.asker)
        when = (read.span, read.event, read.relation)
        made_of = nearness.made_of if nearness else None
        sizes = (len(figures.sizes), sum(figures.sizes), sum(figures.marks))
        key = RankingKey(self._ledger.key, (state, sizes, asked, when, made_of, most))
        cache = self._cache if nearness is None or made_of is not None else None
        ranked = cache.get(key, make) if cache is not None else make()
        return rank_by_use(ranked, self._uses)[:limit]

    def _recent_texts(self) -> list[str]:
        recent = self._reader.recent_messages(_RECENT, shared=True)
        return [transcript_text([message])[:_RECENT_CHARS] for message in recent]

    def _newest_time(self) -> float:
        return max(map(said_at, self._reader.recent_messages(1, shared=True)), default=0.0)

    def _in_time(self, query: Query, figures: Figures) -> Collection[int] | None:
        """The messages of the time that the query names, or before or after what it names; None if it names none."""
        if query.span is not None:
            start, end = query.span
            return {number for number, written in enumerate(read_times(self._ledger)) if start <= written < end} or None
        if not query.event:
            return None
        event = read_query(query.event).words
        ranked = rank(self._ledger.find_words(event, _CANDIDATES), figures, limit=1)
        if not ranked:
            return None
        event_number = ranked[0].number
        return (
            range(max(1, event_number - _IN_TIME), event_number)
            if query.relation == "before"
            else range(event_number + 1, event_number + 1 + _IN_TIME)
        )


def match_of(ranked: Ranked) -> Match:
    """Returns a ranked message as a match."""
    return Match(ranked.number, message_id(ranked.number), ranked.score, ranked.why)


def read_figures(ledger: SessionLedger) -> Figures:
    """Returns what the index knows of each message of a session, up to date."""
    rows = ledger.rows(WORDS, alone=True)
    return Figures(
        figures_in(rows.scan(SIZES, SIZES + "~")),
        figures_in(rows.scan(MARKS, MARKS + "~")),
        rows.get(LABELS) or (),
    )


def read_times(ledger: SessionLedger) -> list[int]:
    """Returns when each message of a session was said, at its number: seconds since 1970, 0 where that is unknown."""
    return figures_in(ledger.rows(WORDS, alone=True).scan(TIMES, TIMES + "~"))


def _preference(query: Query, speakers: Speakers, in_time: Collection[int] | None) -> Preference:
    asker = query.asker and not speakers.names
    return Preference(labels=speakers.labels, persons=speakers.persons, asker=asker, in_time=in_time)


def search_messages(ledger: SessionLedger, reader: SessionReader, query: str, *, limit: int) -> list[Match]:
    """Returns messages that match the query by words, best first: the same whatever else is installed."""
    return SessionSearch(ledger, reader).messages(query, limit=limit)
