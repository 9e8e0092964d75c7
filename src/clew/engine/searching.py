"""What in a session belongs to a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.engine.projecting import SessionRows
from clew.history.fold import message_id
from clew.ports import WORDS
from clew.retrieval.bm25 import ranked
from clew.retrieval.projection import SIZES, sizes_of
from clew.retrieval.words import query_words

if TYPE_CHECKING:
    from clew.engine.session import Session

#: How many messages are weighed at most; those with the rarest words of the query are.
_CANDIDATES = 1_000


@dataclass(frozen=True, slots=True)
class Match:
    """A message that belongs to a query, and how much; scores compare within one answer only."""

    number: int
    id: str
    score: float


def relevant(session: Session, query: str, *, limit: int) -> list[Match]:
    """Messages of the prompt view that belong to the query, best first, of equals the newest."""
    session.engine.catch_up(session.info)
    store, key = session.engine.store, session.info.key
    holders = store.find_words(key, query_words(query), _CANDIDATES)
    if not holders:
        return []
    sizes = sizes_of(SessionRows(store, key, WORDS).scan(SIZES, SIZES + "~"))
    return [Match(number, message_id(number), score) for number, score in ranked(holders, sizes, limit)]
