"""The segments projection cuts a session into exchanges and segments as it grows.

An exchange begins with a request. One that grows too long is cut before a reply, where no call is still
open, so that a step is never cut apart. Borders once drawn are stored: settings change only what is cut
later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from clew.config import SegmentConfig
from clew.domain import Call, Message, Output, Role, Segment
from clew.domain.values import fields_of
from clew.history.user_requests import headline, is_request, request_words
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback, Rows


@dataclass(slots=True)
class _OpenSegment:
    """The segment under way. ``pending`` are calls that still wait for their output."""

    exchange: int = 0
    part: int = 1
    first: int = 0
    last: int = 0
    tokens: int = 0
    pending: list[str] = field(default_factory=list)
    words: str = ""
    rolled_back: bool = False


class SegmentsProjection:
    """Keeps a row for each segment; names sort by exchange and part. Its state is the open segment."""

    name = "segments"
    version = 1
    keeps_ids = True

    def __init__(self, config: SegmentConfig) -> None:
        self._config = config

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages and rollbacks. Borders that were drawn stay."""
        now = _open_segment(state or {})
        for change in changes:
            if isinstance(change, Rollback):
                _roll_back(change.exchanges, now, rows)
            elif isinstance(change, LedgerNote):
                continue
            elif change.message.thread:
                now.last = max(now.last, change.number)
            else:
                now = self._advance(now, change, rows)
        if now.first:
            _save(now, rows, closed=False)
        return fields_of(now)

    def _advance(self, now: _OpenSegment, change: MessageChange, rows: Rows) -> _OpenSegment:
        if not change.grows and not change.replaces:
            now = self._maybe_cut(now, change, rows)
            now.first = now.first or change.number
            now.last = change.number
        now.tokens += sum(change.tokens)
        _track(now, change.message)
        return now

    def _maybe_cut(self, now: _OpenSegment, change: MessageChange, rows: Rows) -> _OpenSegment:
        if is_request(change.message):
            if now.first:
                _save(now, rows, closed=True)
            return _OpenSegment(exchange=now.exchange + 1, words=headline(request_words(change.message)))
        is_long = now.tokens + sum(change.tokens) > self._config.max_tokens and now.tokens > 0
        if is_long and change.message.role is Role.ASSISTANT and not now.pending and now.first:
            _save(now, rows, closed=True)
            return _OpenSegment(exchange=now.exchange, part=now.part + 1)
        return now


def _open_segment(state: dict[str, Any]) -> _OpenSegment:
    """The segment under way, of a state that earlier versions may have written: ``rolled_back`` was ``left`` there."""
    renamed = {"rolled_back": state["left"]} if "left" in state else {}
    return _OpenSegment(**{name: value for name, value in (state | renamed).items() if name != "left"})


def _track(now: _OpenSegment, message: Message) -> None:
    for part in message.parts:
        if isinstance(part, Call) and not part.server:
            now.pending.append(part.id)
        elif isinstance(part, Output) and part.call_id in now.pending:
            now.pending.remove(part.call_id)


def row_name(exchange: int, part: int) -> str:
    """Returns the name of a segment's row; names sort by exchange and part."""
    return f"{exchange:07d}.{part:05d}"


def prefix_end(prefix: str) -> str:
    """Returns the first name of a row after all that begin with the prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def _save(now: _OpenSegment, rows: Rows, *, closed: bool) -> None:
    row = {"first": now.first, "last": now.last, "tokens": now.tokens, "closed": closed, "words": now.words}
    row |= {"left": True} if now.rolled_back else {}
    rows.put(row_name(now.exchange, now.part), row)


def _roll_back(exchanges: int, now: _OpenSegment, rows: Rows) -> None:
    """The last exchanges that are still in the prompt view leave it; their rows stay, to be read by id."""
    if now.first:
        _save(now, rows, closed=False)
    live = sorted({int(name[:7]) for name, row in rows.scan("0") if not row.get("left")} - {0})
    first = (live[-exchanges:] or [now.exchange + 1])[0]
    for name, row in rows.scan(row_name(first, 0)):
        rows.put(name, row | {"left": True})
    now.rolled_back = now.exchange >= first


def segment_of(name: str, row: dict[str, Any]) -> Segment:
    """Returns a stored row as a Segment."""
    exchange, part = name.split(".")
    return Segment(
        exchange=int(exchange),
        part=int(part),
        first=row["first"],
        last=row["last"],
        tokens=row["tokens"],
        closed=row["closed"],
        rolled_back=row.get("left", False),
        words=row["words"],
    )
