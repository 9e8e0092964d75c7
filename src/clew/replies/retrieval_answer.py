"""The answer to a turn's context requests: which segments are sent within the quota, in which size, and what is not.

A part that is larger than the room there is comes in pieces: its beginning is sent, and a note says how to read on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from clew.domain.ids import SegmentId, parse_segment
from clew.replies.values import MAX_ITEMS, MAX_REQUESTS, Format, Priority, RetrievalRequest, is_id

#: How many are meant by a request without ids: as many as the packer shows in full by default.
DEFAULT_COUNT = 5
#: How far ids are compared by recency or relevance; those beyond stay in the order they were named.
_RANK_DEPTH = 200
#: Ids near to an unknown one that are worth a reader's time.
_NEAREST = 3
#: Segments worth preparing before anyone asks.
_MAX_NEXT_IDS = 8
#: Tokens of a piece that is worth being sent.
_LEAST_PIECE_TOKENS = 50
#: No text has more characters to a token, but for blanks: where the cutting of a piece begins.
_MOST_CHARS_PER_TOKEN = 8
#: From large to small; mixed takes the first that fits.
_SIZES = (Format.FULL, Format.SUMMARY, Format.HEADER)
#: From small to large: an id that is asked for twice is sent in the larger of the two.
_FORMATS_BY_SIZE = (Format.HEADER, Format.SUMMARY, Format.MIXED, Format.FULL)


class Piece(NamedTuple):
    """A run of a part's text: its characters from ``start`` to ``end``, of ``chars`` in all."""

    text: str
    tokens: int
    start: int
    end: int
    chars: int


class SegmentLookup(Protocol):
    """What the caller knows of a session's segments; ids that it gives are canonical."""

    def resolve(self, id: str) -> str | None:
        """The id that stands for this one today, through the alias map; None for what does not exist."""

    def size(self, id: str, format: str) -> int:
        """Tokens of the text; ``format`` is header, summary or full."""

    def text(self, id: str, format: str) -> str: ...

    def piece(self, id: str, format: str, *, start: int, limit: int, most_tokens: int) -> Piece:
        """The text from a character on, as ``cut_piece`` cuts it."""

    def nearest(self, id: str) -> Sequence[str]:
        """Ids that exist and may have been meant, closest first."""

    def recent(self, n: int) -> Sequence[str]:
        """The last n, newest first."""

    def relevant(self, n: int) -> Sequence[str]:
        """The n closest to the query, closest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentSegment:
    """A segment that is sent; ``asked`` is the id that was named, "" when none was. Of one of which a piece is sent,
    ``start``, ``end`` and ``chars`` say which characters, and of how many; 0 of 0 for a whole one.
    """

    id: str
    format: Format
    tokens: int
    text: str
    asked: str = ""
    start: int = 0
    end: int = 0
    chars: int = 0

    @property
    def size(self) -> str:
        """What is sent of it, in words."""
        return f"{self.format}, characters {self.start} to {self.end} of {self.chars}" if self.chars else self.format


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentSize:
    """A size that did not fit; ``sent_as`` is the smaller one that was sent in its place, if any."""

    id: str
    format: Format
    tokens: int
    sent_as: Format | None = None


@dataclass(frozen=True, slots=True)
class UnknownId:
    """An id that does not exist, and those that may have been meant."""

    id: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalAnswer:
    """What is sent for a turn's requests.

    The texts together cost ``tokens``, at most the quota; the notes are short and come on top.
    """

    quota_tokens: int
    sent: tuple[SentSegment, ...] = ()
    left_out: tuple[UnsentSize, ...] = ()
    unknown: tuple[UnknownId, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model is told besides the texts: one line each, in our words, which repeats nothing but ids."""
        return (
            *(f"{one.asked} is now {one.id}." for one in self.sent if one.asked not in ("", one.id)),
            *(_piece_note(one) for one in self.sent if one.chars and (one.end < one.chars or one.start == one.end)),
            *(_unsent_note(one, self.quota_tokens) for one in self.left_out),
            *(_unknown_note(one) for one in self.unknown),
        )


def answer_requests(requests: Sequence[RetrievalRequest], quota_tokens: int, lookup: SegmentLookup) -> RetrievalAnswer:
    """Resolves requests in order, each id once; the same lookup gives the same answer.

    A size that was named is never swapped for another; only mixed shrinks. Of the first that does not fit, as much is
    sent as the others leave room for.
    """
    wanted, unknown = _wanted_segments(requests[:MAX_REQUESTS], lookup)
    reserves, left = _reserves(wanted, lookup), quota_tokens
    chosen: dict[_Wanted, SentSegment | None] = {}
    for one, reserved in zip(wanted, reserves, strict=True):
        chosen[one] = fitting = _fit(one, lookup, left=left, reserved=reserved)
        left -= fitting.tokens if fitting else 0
    unfit = next((one for one in wanted if chosen[one] is None), None)
    if unfit is not None and left >= _LEAST_PIECE_TOKENS:
        chosen[unfit] = _piece(unfit, lookup, left=left)
    return RetrievalAnswer(
        quota_tokens=quota_tokens,
        sent=tuple(one for one in chosen.values() if one is not None),
        left_out=tuple(unsent for one in wanted for unsent in _unsent_sizes(one, chosen[one], lookup)),
        unknown=unknown,
    )


def cut_piece(text: str, count: Callable[[str], int], *, start: int, limit: int, most_tokens: int) -> Piece:
    """Returns as much of a text from a character on as takes no more tokens and, unless ``limit`` is 0, no more
    characters. It ends with a line where it was cut and has any.
    """
    start = min(start, len(text))
    asked_end = min(len(text), start + (limit or len(text)))
    end = min(asked_end, start + _MOST_CHARS_PER_TOKEN * most_tokens)
    while (tokens := count(text[start:end])) > most_tokens:
        end = start + (end - start) * most_tokens // (tokens + 1)
    if end < asked_end and (line_end := text.rfind("\n", (start + end) // 2, end) + 1):
        end, tokens = line_end, count(text[start:line_end])
    return Piece(text[start:end], tokens, start, end, len(text))


def likely_next_ids(answer: RetrievalAnswer) -> tuple[str, ...]:
    """Ids that are likely to be asked for next: what did not fit, then the neighbours of what was read.

    Neighbours are counted, not looked up: some may not exist.
    """
    in_full = {one.id for one in answer.sent if one.format is Format.FULL and not one.chars}
    wanted = [one.id for one in answer.left_out]
    wanted += [near for one in answer.sent for near in _neighbours(one.id)]
    return tuple(id for id in dict.fromkeys(wanted) if id not in in_full)[:_MAX_NEXT_IDS]


# ── which segments are asked for ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Wanted:
    id: str
    asked: str
    format: Format
    offset: int = 0
    limit: int = 0


def _wanted_segments(
    requests: Sequence[RetrievalRequest], lookup: SegmentLookup
) -> tuple[list[_Wanted], tuple[UnknownId, ...]]:
    """Each segment once, at the place where it was first named and in the largest size; pieces beside it."""
    wanted: dict[tuple[str, int, int], _Wanted] = {}
    unknown: dict[str, UnknownId] = {}
    for request in requests:
        for asked, id in _ids_in_order(request, lookup):
            if id is None:
                unknown.setdefault(asked, UnknownId(asked, tuple(lookup.nearest(asked)[:_NEAREST])))
                continue
            place = (id, request.offset, request.limit)
            first = wanted.setdefault(place, _Wanted(id, asked, request.format, request.offset, request.limit))
            largest = max(first.format, request.format, key=_FORMATS_BY_SIZE.index)
            wanted[place] = replace(first, format=largest)
    return list(wanted.values()), tuple(unknown.values())


def _ids_in_order(request: RetrievalRequest, lookup: SegmentLookup) -> list[tuple[str, str | None]]:
    """Ids as they were named and what they stand for, the first to be served first."""
    if request.priority is Priority.SPECIFIC:
        return _resolve_ids(request, lookup)
    best = lookup.recent if request.priority is Priority.RECENT else lookup.relevant
    if not request.ids:
        return [("", id) for id in best(DEFAULT_COUNT)]
    ranks = {id: index for index, id in enumerate(best(_RANK_DEPTH))}
    return sorted(_resolve_ids(request, lookup), key=lambda pair: ranks.get(pair[1] or "", len(ranks)))


def _resolve_ids(request: RetrievalRequest, lookup: SegmentLookup) -> list[tuple[str, str | None]]:
    """What has not the form of an id is passed over: it could not be repeated safely."""
    return [(id, lookup.resolve(id)) for id in request.ids[:MAX_ITEMS] if is_id(id)]


# ── what fits ────────────────────────────────────────────────────────────────────────────────────────


def _reserves(wanted: Sequence[_Wanted], lookup: SegmentLookup) -> list[int]:
    """For each segment, what the later mixed ones need at the least: a long first one must not hide them all."""
    headers = [lookup.size(wanted.id, Format.HEADER) if wanted.format is Format.MIXED else 0 for wanted in wanted]
    return [sum(headers[index + 1 :]) if wanted.format is Format.MIXED else 0 for index, wanted in enumerate(wanted)]


def _fit(wanted: _Wanted, lookup: SegmentLookup, *, left: int, reserved: int) -> SentSegment | None:
    """The first size that fits. A header gives way to nobody: when few fit, they are the first."""
    if wanted.offset or wanted.limit:
        return _piece(wanted, lookup, left=left) if left >= _LEAST_PIECE_TOKENS else None
    for format in _SIZES if wanted.format is Format.MIXED else (wanted.format,):
        tokens = lookup.size(wanted.id, format)
        if tokens <= (left if format is Format.HEADER else left - reserved):
            text = lookup.text(wanted.id, format)
            return SentSegment(id=wanted.id, format=format, tokens=tokens, text=text, asked=wanted.asked)
    return None


def _piece(wanted: _Wanted, lookup: SegmentLookup, *, left: int) -> SentSegment:
    """As much of a part as there is room for."""
    format = _largest(wanted)
    piece = lookup.piece(wanted.id, format, start=wanted.offset, limit=wanted.limit, most_tokens=left)
    return SentSegment(id=wanted.id, format=format, asked=wanted.asked, **piece._asdict())


def _largest(wanted: _Wanted) -> Format:
    return _SIZES[0] if wanted.format is Format.MIXED else wanted.format


def _unsent_sizes(wanted: _Wanted, sent: SentSegment | None, lookup: SegmentLookup) -> Iterator[UnsentSize]:
    largest, sent_as = _largest(wanted), sent.format if sent else None
    if sent_as is not largest:
        yield UnsentSize(id=wanted.id, format=largest, tokens=lookup.size(wanted.id, largest), sent_as=sent_as)


# ── notes and neighbours ─────────────────────────────────────────────────────────────────────────────


def _piece_note(one: SentSegment) -> str:
    if one.start == one.end:
        return f"{one.id} in {one.format} has {one.chars} characters; there is nothing from {one.start} on."
    said = f"Of {one.id} in {one.format}, characters {one.start} to {one.end} of {one.chars} are sent."
    return f"{said} To read on, ask for it with offset {one.end}."


def _unsent_note(one: UnsentSize, quota_tokens: int) -> str:
    size = f"{one.id} in {one.format} has {one.tokens:,} tokens"
    sent = f"; sent as {one.sent_as}" if one.sent_as else ""
    if one.tokens > quota_tokens:
        more = f"more than the {quota_tokens:,} of a turn{sent}"
        return f"{size}, {more}. Ask for it alone, in {one.format}: it comes in pieces."
    return f"{size} and did not fit this turn{sent}. Ask for it alone, or for a smaller format."


def _unknown_note(one: UnknownId) -> str:
    return f"There is no {one.id}." + (f" Nearest: {', '.join(one.nearest)}." if one.nearest else "")


def _neighbours(id: str) -> list[str]:
    """The next segment, then the one before: people and models read on."""
    segment = parse_segment(id)
    if segment is None:
        return []
    exchange, part = segment.exchange, segment.part
    if not part:
        return [str(SegmentId(exchange + 1)), *([str(SegmentId(exchange - 1))] if exchange > 1 else [])]
    before = SegmentId(exchange, part - 1) if part > 1 else SegmentId(exchange - 1)
    return [str(SegmentId(exchange, part + 1)), *([str(before)] if part > 1 or exchange > 1 else [])]
