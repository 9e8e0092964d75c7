"""Search: finds the messages of a session that match a query."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain.ids import message_id
from clew.engine.ledger.session_ledger import SessionLedger
from clew.ports import WORDS
from clew.retrieval.bm25 import rank_messages
from clew.retrieval.projection import SIZES, sizes_of
from clew.retrieval.words import query_words

#: Most messages that are scored: those with the rarest words of the query.
_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True)
class Match:
    """A message that matches a query. Scores compare within one result only."""

    number: int
    id: str
    score: float


def search_messages(ledger: SessionLedger, query: str, *, limit: int) -> list[Match]:
    """Returns messages of the prompt view that match the query, best first; of equals, the newest first."""
    postings = ledger.find_words(query_words(query), _CANDIDATES)
    if not postings:
        return []
    sizes = sizes_of(ledger.rows(WORDS).scan(SIZES, SIZES + "~"))
    return [Match(number, message_id(number), score) for number, score in rank_messages(postings, sizes, limit)]
