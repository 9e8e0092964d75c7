"""Answering context requests within a turn's quota: who comes first, in which size, and what is told of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from clew.replies.values import MAX_ITEMS, MAX_REQUESTS, Format, Priority, RetrievalRequest, is_id

#: How many are meant by a request without ids: as many as the packer shows in full by default.
DEFAULT_COUNT = 5
#: How far ids are compared by recency or relevance; those beyond stay in the order they were named.
_RANK_DEPTH = 200
#: Ids near to an unknown one that are worth a reader's time.
_NEAREST = 3
#: Segments worth preparing before anyone asks.
_MAX_FOLLOW_UPS = 8
#: From large to small; mixed takes the first that fits.
_SIZES = (Format.FULL, Format.SUMMARY, Format.HEADER)
#: Of two wishes for one id the larger is met.
_WISHES = (Format.HEADER, Format.SUMMARY, Format.MIXED, Format.FULL)
_SEGMENT = re.compile(r"x([0-9]{1,7})(?:\.([0-9]{1,5}))?")


class Lookup(Protocol):
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
class Given:
    """A segment that is sent; ``asked`` is the id that was named, "" when none was."""

    id: str
    format: Format
    tokens: int
    text: str
    asked: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A size that did not fit; ``given`` is the smaller one sent in its place, if any."""

    id: str
    format: Format
    tokens: int
    given: Format | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """An id that leads nowhere, and those that may have been meant."""

    id: str
    nearest: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a turn's requests bring. ``tokens`` of the texts are within the quota; the notes are short, and extra."""

    quota_tokens: int
    given: tuple[Given, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    unknown: tuple[Unknown, ...] = ()

    @property
    def tokens(self) -> int:
        return sum(one.tokens for one in self.given)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the model is told beside the texts: a line each, in our words and with ids alone."""
        return (
            *(f"{one.asked} is now {one.id}." for one in self.given if one.asked not in ("", one.id)),
            *(_note(one, self.quota_tokens) for one in self.left_out),
            *(_unknown_note(one) for one in self.unknown),
        )


def answer(requests: Sequence[RetrievalRequest], quota_tokens: int, lookup: Lookup) -> Answer:
    """Resolves requests in order, each id once. Pure: the same lookup gives the same answer.

    A size that was named is sent or left out, never swapped for another; only mixed shrinks.
    """
    wishes, unknown = _wishes(requests[:MAX_REQUESTS], lookup)
    given: list[Given] = []
    left_out: list[LeftOut] = []
    left = quota_tokens
    for wish, reserved in zip(wishes, _reserves(wishes, lookup), strict=True):
        chosen, missed = _fit(wish, lookup, left=left, reserved=reserved)
        left_out += missed
        if chosen:
            given.append(chosen)
            left -= chosen.tokens
    return Answer(quota_tokens=quota_tokens, given=tuple(given), left_out=tuple(left_out), unknown=unknown)


def follow_ups(answer: Answer) -> tuple[str, ...]:
    """Ids that are likely to be asked for next: what did not fit, then the neighbours of what was read.

    Neighbours are counted, not looked up: some may not exist.
    """
    in_full = {one.id for one in answer.given if one.format is Format.FULL}
    wanted = [one.id for one in answer.left_out]
    wanted += [near for one in answer.given for near in _neighbours(one.id)]
    return tuple(id for id in dict.fromkeys(wanted) if id not in in_full)[:_MAX_FOLLOW_UPS]


# ── who is asked for ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Wish:
    id: str
    asked: str
    format: Format


def _wishes(requests: Sequence[RetrievalRequest], lookup: Lookup) -> tuple[list[_Wish], tuple[Unknown, ...]]:
    """Each segment once, at the place where it was first named and in the largest size."""
    wishes: dict[str, _Wish] = {}
    unknown: dict[str, Unknown] = {}
    for request in requests:
        for asked, id in _ordered(request, lookup):
            if id is None:
                unknown.setdefault(asked, Unknown(asked, tuple(lookup.nearest(asked)[:_NEAREST])))
                continue
            first = wishes.setdefault(id, _Wish(id, asked, request.format))
            wishes[id] = _Wish(id, first.asked, max(first.format, request.format, key=_WISHES.index))
    return list(wishes.values()), tuple(unknown.values())


def _ordered(request: RetrievalRequest, lookup: Lookup) -> list[tuple[str, str | None]]:
    """Ids as they were named and what they stand for, first things first."""
    if request.priority is Priority.SPECIFIC:
        return _resolved(request, lookup)
    best = lookup.recent if request.priority is Priority.RECENT else lookup.relevant
    if not request.ids:
        return [("", id) for id in best(DEFAULT_COUNT)]
    ranks = {id: at for at, id in enumerate(best(_RANK_DEPTH))}
    return sorted(_resolved(request, lookup), key=lambda pair: ranks.get(pair[1] or "", len(ranks)))


def _resolved(request: RetrievalRequest, lookup: Lookup) -> list[tuple[str, str | None]]:
    """What has not the form of an id is passed over: it could not be repeated safely."""
    return [(id, lookup.resolve(id)) for id in request.ids[:MAX_ITEMS] if is_id(id)]


# ── what fits ────────────────────────────────────────────────────────────────────────────────────────


def _reserves(wishes: Sequence[_Wish], lookup: Lookup) -> list[int]:
    """For each wish, what the later mixed ones need at the least: a long first one must not hide them all."""
    headers = [lookup.size(one.id, Format.HEADER) if one.format is Format.MIXED else 0 for one in wishes]
    return [sum(headers[at + 1 :]) if one.format is Format.MIXED else 0 for at, one in enumerate(wishes)]


def _fit(wish: _Wish, lookup: Lookup, *, left: int, reserved: int) -> tuple[Given | None, list[LeftOut]]:
    """The first size that fits. A header gives way to nobody: when few fit, they are the first."""
    sizes = _SIZES if wish.format is Format.MIXED else (wish.format,)
    for format in sizes:
        tokens = lookup.size(wish.id, format)
        if tokens <= (left if format is Format.HEADER else left - reserved):
            text = lookup.text(wish.id, format)
            given = Given(id=wish.id, format=format, tokens=tokens, text=text, asked=wish.asked)
            return given, list(_missed(wish, sizes[0], lookup, given=format))
    return None, list(_missed(wish, sizes[0], lookup, given=None))


def _missed(wish: _Wish, largest: Format, lookup: Lookup, *, given: Format | None) -> Iterator[LeftOut]:
    if given is not largest:
        yield LeftOut(id=wish.id, format=largest, tokens=lookup.size(wish.id, largest), given=given)


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────


def _note(one: LeftOut, quota_tokens: int) -> str:
    size = f"{one.id} in {one.format} has {one.tokens:,} tokens"
    sent = f"; sent as {one.given}" if one.given else ""
    if one.tokens > quota_tokens:
        return f"{size}, more than the {quota_tokens:,} of a turn{sent}. Ask for a smaller format or for parts of it."
    return f"{size} and did not fit this turn{sent}. Ask for it alone, or for a smaller format."


def _unknown_note(one: Unknown) -> str:
    return f"There is no {one.id}." + (f" Nearest: {', '.join(one.nearest)}." if one.nearest else "")


def _neighbours(id: str) -> list[str]:
    """The next before the one before: people and models read on."""
    match = _SEGMENT.fullmatch(id)
    if match is None:
        return []
    exchange, part = int(match[1]), int(match[2] or 0)
    if not part:
        return [f"x{exchange + 1}", *([f"x{exchange - 1}"] if exchange > 1 else [])]
    before = f"x{exchange}.{part - 1}" if part > 1 else f"x{exchange - 1}"
    return [f"x{exchange}.{part + 1}", *([before] if part > 1 or exchange > 1 else [])]
