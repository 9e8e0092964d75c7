"""The feedback projection: what was retrieved and waits for its reply, and what replies used so far.

Rows: ``message/`` and ``chunk/`` with an id hold the tally of a unit. The state counts judged replies, retrieved and
used units by kind, and knows what is open: inputs that were sent with retrieved units, by their entry, and messages
with answers of Clew's own tools.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from clew.domain import EntryKind, Json, Message
from clew.domain.ids import ChunkId, parse_id
from clew.domain.values import fields_of
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rows
from clew.retrieval.feedback import Tally
from clew.retrieval.own_searches import READING_TOOLS

MESSAGE, CHUNK = "message/", "chunk/"
#: What is open at most, and calls that wait for their outputs; the oldest are given up.
_MOST_OPEN, _MOST_CALLS = 8, 32


@dataclass(slots=True)
class FeedbackState:
    """State of the projection. ``open`` are triples: ``sent`` or ``output``, the number of the entry or message, and
    how many messages there were then; ``kinds`` are pairs of retrieved and used; ``calls`` are ids of calls of reading
    tools that wait for their output.
    """

    turn: int = 0
    open: list[list[Any]] = field(default_factory=list)
    kinds: dict[str, list[int]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)


class FeedbackProjection:
    """Projects what was retrieved and what became of it."""

    name = "feedback"
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new events. A note that is damaged or of another version changes nothing."""
        known = FeedbackState(**state) if state else FeedbackState()
        for change in changes:
            if isinstance(change, MessageChange):
                _note_outputs(known, change.number, change.message)
            elif isinstance(change, LedgerNote) and change.kind in (EntryKind.SENT, EntryKind.FEEDBACK):
                with suppress(KeyError, TypeError, ValueError):
                    _note_sent(known, change) if change.kind is EntryKind.SENT else _judge(known, change.about, rows)
        return fields_of(known)


def row_of(id: str) -> str:
    """Returns the name of the row with the tally of a unit."""
    return (CHUNK if isinstance(parse_id(id), ChunkId) else MESSAGE) + id


def _note_sent(state: FeedbackState, note: LedgerNote) -> None:
    """What is sent again at the same place stands for what was sent there before."""
    sent = note.about["sent"]
    state.open = [one for one in state.open if (one[0], one[2]) != ("sent", sent["after"])]
    if sent.get("retrieved"):
        _open(state, "sent", note.seq, sent["after"])


def _note_outputs(state: FeedbackState, number: int, message: Message) -> None:
    asked = [call.id for call in message.calls if call.name.endswith(READING_TOOLS)]
    if asked:
        state.calls = [*state.calls, *asked][-_MOST_CALLS:]
    if state.calls and (answered := {one.call_id for one in message.outputs}.intersection(state.calls)):
        state.calls = [id for id in state.calls if id not in answered]
        if ["output", number, number] not in state.open:
            _open(state, "output", number, number)


def _open(state: FeedbackState, kind: str, number: int, after: int) -> None:
    state.open = [*state.open, [kind, number, after]][-_MOST_OPEN:]


def _judge(state: FeedbackState, about: Json, rows: Rows) -> None:
    closed = about["closes"]
    state.open = [one for one in state.open if one[:2] not in closed]
    state.turn += 1
    for unit in about["feedback"]:
        counts = state.kinds.setdefault(unit["kind"], [0, 0])
        counts[0] += 1
        counts[1] += bool(unit.get("used"))
        if ranked := unit.get("ranked"):
            name = row_of(ranked)
            tally = Tally(*(rows.get(name) or ()))
            told = tally.with_judgement(used=bool(unit.get("used")), turn=state.turn)
            rows.put(name, list(fields_of(told).values()))
