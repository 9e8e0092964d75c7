"""Search: finds the messages and segments of a session that match a query."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from clew.domain.ids import message_id
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.history.message_text import transcript_text
from clew.history.overview import OverviewProjection, place_of
from clew.ports import WORDS
from clew.retrieval.bm25 import rank_messages
from clew.retrieval.projection import SIZES, sizes_of
from clew.retrieval.words import query_words
from clew.text.trim import cut_at_word, one_line

#: Most messages that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000
#: How much of a message a result shows.
_TEXT_CHARS = 400


@dataclass(frozen=True, slots=True)
class Match:
    """A message that matches a query. Scores compare within one result only."""

    number: int
    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A segment that matches a query: how well its best message does, the messages that match, best first, and how the
    best one begins. Scores compare within one result only.
    """

    id: str
    session: str
    score: float
    messages: tuple[str, ...]
    text: str
    kind: str = "segment"


def search_segments(ledger: SessionLedger, reader: SessionReader, query: str, *, limit: int) -> list[SearchResult]:
    """Returns segments of the prompt view that match the query, best first, each by its best message."""
    with ledger.steady():
        return _search_segments(ledger, reader, query, limit=limit)


def _search_segments(ledger: SessionLedger, reader: SessionReader, query: str, *, limit: int) -> list[SearchResult]:
    outline, overview = reader.outline(), ledger.rows(OverviewProjection.name)
    starts = [segment.first for segment, _ in outline]
    found: dict[int, list[Match]] = {}
    for match in search_messages(ledger, query, limit=_CANDIDATES):
        at = bisect_right(starts, place_of(match.number, overview)) - 1
        if at in found or (at >= 0 and len(found) < limit):
            found.setdefault(at, []).append(match)
    return [
        SearchResult(
            id=outline[at][1],
            session=ledger.id,
            score=matches[0].score,
            messages=tuple(match.id for match in matches),
            text=_beginning(reader, matches[0].number),
        )
        for at, matches in found.items()
    ]


def _beginning(reader: SessionReader, number: int) -> str:
    return cut_at_word(one_line(transcript_text(reader.read_range(number, number))), _TEXT_CHARS)


def search_messages(ledger: SessionLedger, query: str, *, limit: int) -> list[Match]:
    """Returns messages of the prompt view that match the query, best first; of equals, the newest first."""
    postings = ledger.find_words(query_words(query), _CANDIDATES)
    if not postings:
        return []
    sizes = sizes_of(ledger.rows(WORDS).scan(SIZES, SIZES + "~"))
    return [Match(number, message_id(number), score) for number, score in rank_messages(postings, sizes, limit)]
