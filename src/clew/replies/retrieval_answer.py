"""The answer to a turn's context requests: which segments are sent within the quota, in which size, and what is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

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
#: From large to small; mixed takes the first that fits.
_SIZES = (Format.FULL, Format.SUMMARY, Format.HEADER)
#: From small to large: an id that is asked for twice is sent in the larger of the two.
_FORMATS_BY_SIZE = (Format.HEADER, Format.SUMMARY, Format.MIXED, Format.FULL)


class SegmentLookup(Protocol):
    """What the caller knows of a session's segments; ids that it gives are canonical."""

    def resolve(self, id: str) -> str | None:
        """The id that stands for this one today, through the alias map; None for what does not exist."""

    def size(self, id: str, format: str) -> int:
        """Tokens of the text; ``format`` is header, summary or full."""

    def text(self, id: str, format: str) -> str: ...

    def nearest(self, id: str) -> Sequence[str]:
        """Ids that exist and may have been meant, closest first."""

    def recent(self, n: int) -> Sequence[str]:
        """The last n, newest first."""

    def relevant(self, n: int) -> Sequence[str]:
        """The n closest to the query, closest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentSegment:
    """A segment that is sent; ``asked`` is the id that was named, "" when none was."""

    id: str
    format: Format
    tokens: int
    text: str
    asked: str = ""


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
            *(_unsent_note(one, self.quota_tokens) for one in self.left_out),
            *(_unknown_note(one) for one in self.unknown),
        )


def answer_requests(requests: Sequence[RetrievalRequest], quota_tokens: int, lookup: SegmentLookup) -> RetrievalAnswer:
    """Resolves requests in order, each id once; the same lookup gives the same answer.

    A size that was named is sent or left out, never swapped for another; only mixed shrinks.
    """
    wanted, unknown = _wanted_segments(requests[:MAX_REQUESTS], lookup)
    sent: list[SentSegment] = []
    left_out: list[UnsentSize] = []
    left = quota_tokens
    for one, reserved in zip(wanted, _reserves(wanted, lookup), strict=True):
        chosen, missed = _fit(one, lookup, left=left, reserved=reserved)
        left_out += missed
        if chosen:
            sent.append(chosen)
            left -= chosen.tokens
    return RetrievalAnswer(quota_tokens=quota_tokens, sent=tuple(sent), left_out=tuple(left_out), unknown=unknown)


def likely_next_ids(answer: RetrievalAnswer) -> tuple[str, ...]:
    """Ids that are likely to be asked for next: what did not fit, then the neighbours of what was read.

    Neighbours are counted, not looked up: some may not exist.
    """
    in_full = {one.id for one in answer.sent if one.format is Format.FULL}
    wanted = [one.id for one in answer.left_out]
    wanted += [near for one in answer.sent for near in _neighbours(one.id)]
    return tuple(id for id in dict.fromkeys(wanted) if id not in in_full)[:_MAX_NEXT_IDS]


# ── which segments are asked for ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Wanted:
    id: str
    asked: str
    format: Format


def _wanted_segments(
    requests: Sequence[RetrievalRequest], lookup: SegmentLookup
) -> tuple[list[_Wanted], tuple[UnknownId, ...]]:
    """Each segment once, at the place where it was first named and in the largest size."""
    wanted: dict[str, _Wanted] = {}
    unknown: dict[str, UnknownId] = {}
    for request in requests:
        for asked, id in _ids_in_order(request, lookup):
            if id is None:
                unknown.setdefault(asked, UnknownId(asked, tuple(lookup.nearest(asked)[:_NEAREST])))
                continue
            first = wanted.setdefault(id, _Wanted(id, asked, request.format))
            wanted[id] = _Wanted(id, first.asked, max(first.format, request.format, key=_FORMATS_BY_SIZE.index))
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


def _fit(
    wanted: _Wanted, lookup: SegmentLookup, *, left: int, reserved: int
) -> tuple[SentSegment | None, list[UnsentSize]]:
    """The first size that fits. A header gives way to nobody: when few fit, they are the first."""
    sizes = _SIZES if wanted.format is Format.MIXED else (wanted.format,)
    for format in sizes:
        tokens = lookup.size(wanted.id, format)
        if tokens <= (left if format is Format.HEADER else left - reserved):
            text = lookup.text(wanted.id, format)
            sent = SentSegment(id=wanted.id, format=format, tokens=tokens, text=text, asked=wanted.asked)
            return sent, list(_unsent_sizes(wanted, sizes[0], lookup, sent_as=format))
    return None, list(_unsent_sizes(wanted, sizes[0], lookup, sent_as=None))


def _unsent_sizes(
    wanted: _Wanted, largest: Format, lookup: SegmentLookup, *, sent_as: Format | None
) -> Iterator[UnsentSize]:
    if sent_as is not largest:
        yield UnsentSize(id=wanted.id, format=largest, tokens=lookup.size(wanted.id, largest), sent_as=sent_as)


# ── notes and neighbours ─────────────────────────────────────────────────────────────────────────────


def _unsent_note(one: UnsentSize, quota_tokens: int) -> str:
    size = f"{one.id} in {one.format} has {one.tokens:,} tokens"
    sent = f"; sent as {one.sent_as}" if one.sent_as else ""
    if one.tokens > quota_tokens:
        return f"{size}, more than the {quota_tokens:,} of a turn{sent}. Ask for a smaller format or for parts of it."
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
