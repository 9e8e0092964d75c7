"""The retriever: finds what a turn brings in from earlier in the session.

Parts that the model asked to read come first, within the quota of a turn.
Then come messages that match the query and are no longer in the prompt, each with its id.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from clew.domain import Message, Origin, Role, UnitUse
from clew.domain.ids import ChunkId, MessageId, SegmentId, message_id, parse_id
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.neighbours import Neighbours
from clew.engine.read.reader import SessionReader
from clew.engine.read.recall import Recall, RecalledPart
from clew.engine.read.search import SessionSearch
from clew.engine.read.search_result import Match
from clew.engine.read.session_vectors import SessionVectors
from clew.errors import ClewError
from clew.history.fold import is_sendable
from clew.history.message_text import speaker
from clew.packing.excerpts import excerpt
from clew.packing.formats import PackSection, SectionUnit
from clew.ports import TokenCounter
from clew.replies.parsing import parse_reply
from clew.replies.retrieval_answer import (
    Piece,
    RetrievalAnswer,
    SentSegment,
    answer_requests,
    cut_piece,
    likely_next_ids,
)
from clew.replies.values import Format, RetrievalRequest
from clew.retrieval.neighbours import DistinctMessages
from clew.retrieval.projection import said_at
from clew.retrieval.words import query_words, words_of
from clew.text.speech import speech_head

#: Introduces quotes, so that old words do not pass for new instructions.
_QUOTED = "Quoted from earlier in this session:"
#: Messages that are considered for a query, and the least score of one as a share of the best.
_MATCHES, _CLOSE = 60, 0.3
#: Most characters of one message: a longer one is shown by the lines that match the query.
_EXCERPT_CHARS = 1_600
#: The day on which something was said, as it stands above the quote, and the tokens that this takes.
_DAY, _DAY_TOKENS = "%a %d %b %Y", 8
#: Parts that are kept in memory because they were asked for, or are likely next; the oldest are dropped.
_MAX_CACHED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retrieval: what belongs to the ``query``, and what the ``asking`` reply wants to read. Messages from
    ``tail_start`` on are in the prompt already; ``room`` tokens are for everything, ``quota`` for what the model asked
    for. ``uses`` say how often replies used units.
    """

    query: str
    asking: Message | None
    tail_start: int
    room: int
    quota: int
    uses: Mapping[str, UnitUse] = field(default_factory=dict)


class Retriever:
    """Retrieves for one session. Parts that were asked for are kept in memory.

    It goes by what is stored: the clock is the newest message's, and vectors count once they are made.
    """

    def __init__(self, ledger: SessionLedger, reader: SessionReader, recall: Recall, vectors: SessionVectors) -> None:
        self._ledger, self._reader, self._recall, self._vectors = ledger, reader, recall, vectors
        self._cached: dict[tuple[str, str], RecalledPart] = {}

    def section(self, task: Retrieval, count: TokenCounter) -> PackSection | None:
        """Returns the section that a turn injects; None when there is nothing, or no room."""
        asked = self._answer_requests(task.asking, min(task.quota, task.room)) if task.asking else None
        units = [SectionUnit(part.id, _render_part(part), asked=True) for part in asked.sent] if asked else []
        lines = [*(unit.text for unit in units), *(asked.notes if asked else ())]
        left = task.room - count("\n".join([_QUOTED, *lines]))
        if task.query:
            quotes = self._relevant(task, left, count)
            lines += _lines_by_day(quotes)
            units += [SectionUnit(quote.id, quote.text) for quote in quotes]
        ids = tuple(dict.fromkeys(unit.id for unit in units))
        return PackSection("retrieved", 5, "\n".join([_QUOTED, *lines]), ids, tuple(units)) if lines else None

    # ── what the model asked for ─────────────────────────────────────────────────────────────────────

    def _answer_requests(self, newest: Message, quota: int) -> RetrievalAnswer | None:
        requests = requests_in(newest)
        if not requests or quota <= 0:
            return None
        answer = self.answer(requests, newest, quota=quota)
        for id in likely_next_ids(answer):
            self.part(id, "full")
        return answer

    def answer(
        self, requests: Sequence[RetrievalRequest], newest: Message, *, quota: int, texts: bool = True
    ) -> RetrievalAnswer:
        """Returns what is sent for requests, within a quota of tokens. What is relevant goes by the newest message.
        Without ``texts`` it says what to send, for who reads that otherwise, and nothing is read in full.
        """
        lookup = _Lookup if texts else _SizeLookup
        return answer_requests(requests, quota, lookup(self, self._reader, self._ledger, newest))

    def part(self, id: str, format: str) -> RecalledPart | None:
        """Returns a part by id and keeps it in memory; None for an id that names nothing."""
        part = self._cached.get((id, format))
        if part is None:
            try:
                part = self._recall.part(id, format)
            except ClewError:
                return None
            if isinstance(parse_id(id), ChunkId):  # a module may change at any time
                return part
            self._cached[id, format] = part
            while len(self._cached) > _MAX_CACHED:
                self._cached.pop(next(iter(self._cached)))
        return part

    # ── what belongs to the query ────────────────────────────────────────────────────────────────────

    def _relevant(self, task: Retrieval, room: int, count: TokenCounter) -> list[_Quote]:
        """Messages that are out of sight, in order: the closest that fit, each with the one before it where it cannot
        be understood without, and none that says the same as a closer one.
        """
        matches = self.matches(task.query, limit=_MATCHES, uses=task.uses)
        best = matches[0].score if matches else 0.0
        close = _CLOSE if self._reader.uses_tools() else 0.0
        wanted, chosen, distinct = set(query_words(task.query)), dict[int, _Quote](), DistinctMessages()
        neighbours = Neighbours(self._ledger, self._reader)
        for match in matches:
            message = self._sendable(match.number) if match.number < task.tail_start and room > 0 else None
            if message is None or match.number in chosen or match.score < close * best or distinct.add(message):
                continue
            before = neighbours.needed_before(message)
            for candidate in (message, *([before] if before and before.number < task.tail_start else [])):
                quote = _quote(candidate, wanted)
                is_new_day = quote.day not in {"", *(other.day for other in chosen.values())}
                price = count(quote.text) + 1 + (_DAY_TOKENS if is_new_day else 0)
                if candidate.number not in chosen and price <= room:
                    room -= price
                    chosen[candidate.number] = quote
        return [quote for _, quote in sorted(chosen.items())]

    def _sendable(self, number: int) -> Message | None:
        messages = self._reader.read_range(number, number, shared=True)
        return messages[0] if messages and is_sendable(messages[0]) and messages[0].role is not Role.SYSTEM else None

    def matches(self, query: str, *, limit: int, uses: Mapping[str, UnitUse] | None = None) -> list[Match]:
        """Messages that match a query, best first."""
        search = SessionSearch(self._ledger, self._reader, nearness=self._vectors.nearness, uses=uses)
        return search.messages(query, limit=limit)


@dataclass(frozen=True, slots=True)
class _Quote:
    """A message as it is quoted: its id, who speaks and what; the day on which it was said stands above it."""

    id: str
    day: str
    text: str


def _quote(message: Message, wanted: set[str]) -> _Quote:
    """A message with its id and who speaks: the lines that hold most of the wanted words."""

    def closeness(line: str) -> float:
        return len(wanted.intersection(words_of(line)))

    text = excerpt(message, closeness, limit=_EXCERPT_CHARS)
    at = said_at(message)
    day = datetime.fromtimestamp(at, UTC).strftime(_DAY) if at else ""
    head = speech_head(text)
    if head.at is not None and head.speaker:  # the line itself says when and who
        return _Quote(message.id, day, f"{message.id} {head.speaker}: {text[head.end :]}")
    is_other = message.origin in {Origin.CLIENT, Origin.SUMMARY, Origin.REPORTED}
    whose = message.origin if is_other else speaker(message)
    return _Quote(message.id, day, f"{message.id} {whose}: {text}")


def _lines_by_day(quotes: Sequence[_Quote]) -> list[str]:
    """The quotes in order, under the day on which they were said."""
    lines: list[str] = []
    for before, quote in zip((None, *quotes), quotes, strict=False):
        if quote.day and (before is None or quote.day != before.day):
            lines.append(f"{quote.day}:")
        lines.append(quote.text)
    return lines


def requests_in(message: Message) -> tuple[RetrievalRequest, ...]:
    """Returns what a reply asks to read next; only messages of the model can ask."""
    return parse_reply(message.text).requests if message.role is Role.ASSISTANT else ()


def _render_part(segment: SentSegment) -> str:
    return f"{segment.id} ({segment.size}), as you asked:\n{segment.text}"


class _Lookup:
    """A session's parts, as answers to requests need them."""

    def __init__(self, retriever: Retriever, reader: SessionReader, ledger: SessionLedger, newest: Message) -> None:
        self._retriever, self._reader, self._ledger, self._newest = retriever, reader, ledger, newest

    def resolve(self, id: str) -> str | None:
        named = parse_id(id)
        if isinstance(named, MessageId) and not named.version and 1 <= named.number <= self._reader.info.messages:
            return message_id(self._reader.versions(named.number)[-1])
        return id if self._retriever.part(id, "full") else None

    def size(self, id: str, format: str) -> int:
        part = self._retriever.part(id, format)
        return part.tokens if part else 0

    def text(self, id: str, format: str) -> str:
        part = self._retriever.part(id, format)
        return part.text if part else ""

    def piece(self, id: str, format: str, *, start: int, limit: int, most_tokens: int) -> Piece:
        part, count = self._retriever.part(id, format), self._reader.count
        return cut_piece(part.text if part else "", count, start=start, limit=limit, most_tokens=most_tokens)

    def nearest(self, id: str) -> Sequence[str]:
        """Ids of the same kind, closest by number."""
        digits = "".join(letter for letter in id[1:].partition(".")[0] if letter.isdigit())
        wanted = int(digits[:9] or 0)
        if id.startswith("m"):
            last = self._reader.info.messages
            near = range(max(1, min(wanted, last) - 2), last + 1)
            return [
                message_id(number) for number in sorted(near, key=lambda number: (abs(number - wanted), str(number)))
            ][:3]
        outline = self._reader.outline()
        return [id for _, id in sorted(outline, key=lambda pair: abs(pair[0].exchange - wanted))][:3]

    def recent(self, n: int) -> Sequence[str]:
        return [id for _, id in reversed(self._reader.outline())][:n]

    def relevant(self, n: int) -> Sequence[str]:
        """Segments that hold what is closest to what the model just said and was asked."""
        outline = self._reader.outline()
        starts = [segment.first for segment, _ in outline]
        matches = self._retriever.matches(self._query(), limit=4 * n)
        ids = [outline[max(bisect_right(starts, match.number) - 1, 0)][1] for match in matches]
        return list(dict.fromkeys(ids))[:n]

    def _query(self) -> str:
        number = self._newest.number or 1
        before = self._reader.read_range(max(1, number - 1), number, shared=True)
        return "\n".join(message.text for message in before)


class _SizeLookup(_Lookup):
    """Knows which parts there are and how large, and reads none of them in full."""

    def resolve(self, id: str) -> str | None:
        named = parse_id(id)
        return (
            (id if self._reader.segments_of(named) else None) if isinstance(named, SegmentId) else super().resolve(id)
        )

    def size(self, id: str, format: str) -> int:
        named = parse_id(id)
        if format == Format.FULL and isinstance(named, SegmentId):
            return sum(segment.tokens for segment in self._reader.segments_of(named))
        if isinstance(named, MessageId):
            return self._reader.tokens_of([named.number])
        return super().size(id, format)

    def text(self, id: str, format: str) -> str:  # noqa: ARG002 (nobody reads it here)
        return ""

    def piece(self, id: str, format: str, *, start: int, limit: int, most_tokens: int) -> Piece:
        return super().piece(id, format, start=start, limit=limit, most_tokens=most_tokens)._replace(text="")
