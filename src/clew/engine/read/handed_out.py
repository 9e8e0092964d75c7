"""What a session handed out to its caller, by search or by id, since the last reply."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.domain import RetrievedUnit
from clew.domain.ids import ChunkId, MessageId, parse_id

if TYPE_CHECKING:
    from clew.engine.read.recall import RecalledPart
    from clew.engine.read.search_result import Match, SearchResult
    from clew.replies.retrieval_answer import RetrievalAnswer

#: Units that are remembered; the newest.
_MOST = 40


@dataclass(frozen=True, slots=True)
class HandedOut:
    """Units, what they were searched by, and how many messages the session had when the first was handed out."""

    units: tuple[RetrievedUnit, ...] = ()
    queries: tuple[str, ...] = ()
    after: int = 0


class HandoutMemory:
    """Remembers what one handle on a session hands out, until a reply was judged by it. Nothing is written."""

    def __init__(self) -> None:
        self.current = HandedOut()

    def add(self, units: Iterable[RetrievedUnit], *, after: int, query: str = "") -> None:
        """Remembers units; those that a reply has come after are forgotten."""
        before = self.current
        by_id = {unit.id: unit for unit in (*before.units, *units)}
        queries = (*before.queries, query) if query else before.queries
        newest = tuple(by_id.values())[-_MOST:]
        self.current = HandedOut(newest, queries, before.after if before.units else after)

    def take(self) -> HandedOut:
        """Returns what was handed out, and forgets it."""
        taken, self.current = self.current, HandedOut()
        return taken


def found_units(results: Sequence[SearchResult]) -> list[RetrievedUnit]:
    """Returns the results of a search as units."""
    return [RetrievedUnit(id=result.id, text=result.text, ranked=next(iter(result.messages), "")) for result in results]


def recalled_units(parts: Sequence[RecalledPart]) -> list[RetrievedUnit]:
    """Returns parts that were read by id as units."""
    return [RetrievedUnit(id=part.id, text=part.text, ranked=rankable(part.id), asked=True) for part in parts]


def matched_units(matches: Sequence[Match]) -> list[RetrievedUnit]:
    """Returns messages that a search found as units; their texts are read when they are needed."""
    return [RetrievedUnit(id=match.id, text="", ranked=match.id) for match in matches]


def sent_units(answer: RetrievalAnswer) -> list[RetrievedUnit]:
    """Returns the parts of an answer to a request as units."""
    return [RetrievedUnit(id=part.id, text=part.text, ranked=rankable(part.id), asked=True) for part in answer.sent]


def rankable(id: str) -> str:
    """Returns the id if it is one that rankings know: of a message or of a chunk; else nothing."""
    return id if isinstance(parse_id(id), MessageId | ChunkId) else ""
