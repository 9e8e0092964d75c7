"""Feedback: what replies used of what was retrieved, and how little that may move a score.

Each judgement counts as one, and half as much after so many judged replies. A use counts for more than an ignored unit,
because most of what a search brings in is not needed. Scores move by at most 15 %.

The feedback projection: what was retrieved and waits for its reply, and what replies used so far.

Rows: ``message/`` and ``chunk/`` with an id hold the tally of a unit. The state counts judged replies, retrieved and
used units by kind, and knows what is open: inputs that were sent with retrieved units, by their entry, and messages
with answers of Clew's own tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from clew.domain import EntryKind, Json, Message, UnitUse
from clew.domain.ids import ChunkId, message_id, parse_id
from clew.domain.values import fields_of
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rows
from clew.retrieval.documents import FoundDocument
from clew.retrieval.fusion import Ranked
from clew.retrieval.projection import READING_TOOLS
from clew.text.plurals import pluralise

Found = TypeVar("Found", Ranked, FoundDocument)
MESSAGE, CHUNK = "message/", "chunk/"
#: What is open at most, and calls that wait for their outputs; the oldest are given up.
_MOST_OPEN, _MOST_CALLS = 8, 32
#: The most that a score moves, as a share of it.
MOST = 0.15
#: Judged replies after which a judgement counts half.
HALF_LIFE = 50
#: What a use counts, in ignored units, and how much of either it takes before the factor moves far.
_USE, _INERTIA = 3.0, 8.0
#: A factor nearer to 1 than this changes nothing.
_LEAST = 0.005
#: Most units that an epoch remembers the use of: those that move most.
_MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class Tally:
    """Judgements of one unit. ``weight_used`` and ``weight_ignored`` are what they still count at the reply ``turn``,
    counted in judged replies.
    """

    used: int = 0
    ignored: int = 0
    weight_used: float = 0.0
    weight_ignored: float = 0.0
    turn: int = 0

    def at_turn(self, turn: int) -> Tally:
        """Returns the same tally as it counts at a later reply."""
        fade = 0.5 ** (max(turn - self.turn, 0) / HALF_LIFE)
        weights = (round(self.weight_used * fade, 4), round(self.weight_ignored * fade, 4))
        return Tally(self.used, self.ignored, *weights, max(turn, self.turn))

    def with_judgement(self, *, used: bool, turn: int) -> Tally:
        """Returns the tally with one more judgement."""
        now = self.at_turn(turn)
        if used:
            return replace(now, used=now.used + 1, weight_used=now.weight_used + 1)
        return replace(now, ignored=now.ignored + 1, weight_ignored=now.weight_ignored + 1)

    def plus(self, other: Tally) -> Tally:
        """Returns the judgements of both, as they count now."""
        weights = (self.weight_used + other.weight_used, self.weight_ignored + other.weight_ignored)
        return Tally(self.used + other.used, self.ignored + other.ignored, *weights, max(self.turn, other.turn))

    @property
    def factor(self) -> float:
        """What a score is multiplied by."""
        used, ignored = _USE * self.weight_used, self.weight_ignored
        return round(1 + MOST * (used - ignored) / (used + ignored + _INERTIA), 4)

    @property
    def use(self) -> UnitUse:
        """The counts and the factor."""
        return UnitUse(self.used, self.ignored, self.factor)


def strongest(uses: Mapping[str, UnitUse]) -> dict[str, UnitUse]:
    """Returns the uses that move a score, in order of id; of very many, those that move it most."""
    moving = [(-abs(use.factor - 1), id) for id, use in uses.items() if abs(use.factor - 1) >= _LEAST]
    return {id: uses[id] for _, id in sorted(sorted(moving)[:_MOST_KEPT], key=lambda pair: pair[1])}


def rank_by_use(ranked: Sequence[Ranked], uses: Mapping[str, UnitUse]) -> list[Ranked]:
    """Returns ranked messages in the order of their scores with feedback, which ``why`` names as a part of them."""
    if not uses:
        return list(ranked)
    moved = (move_score(ranked, uses.get(message_id(ranked.number)), digits=6) for ranked in ranked)
    return sorted(moved, key=lambda found: (-found.score, -found.number))


def move_score(found: Found, use: UnitUse | None, *, digits: int | None = None) -> Found:
    """Returns what was found with its score as feedback moves it, which ``why`` names as a part of it."""
    if use is None or use.factor == 1:
        return found
    score = found.score * use.factor if digits is None else round(found.score * use.factor, digits)
    return replace(found, score=score, why={**found.why, "feedback": round(score - found.score, 6)})


def documents_by_use(found: Sequence[FoundDocument], uses: Mapping[str, UnitUse]) -> Sequence[FoundDocument]:
    """Returns documents in the order of their scores with feedback; of equals the earlier one."""
    if not uses:
        return found
    return sorted(
        (move_score(document, uses.get(document.document.id)) for document in found), key=lambda found: -found.score
    )


def describe(use: UnitUse | None) -> str:
    """Returns a use in words; empty for a unit that nobody judged."""
    if use is None or not use.used + use.ignored:
        return ""
    return f"used {pluralise(use.used, 'time')}, ignored {pluralise(use.ignored, 'time')} by replies"


def precision(kinds: Mapping[str, Iterable[int]]) -> dict[str, dict[str, float]]:
    """Returns for each kind of unit how many were retrieved, how many of them used, and the share of these."""
    told = {}
    for kind, (retrieved, used) in sorted(kinds.items()):
        told[kind] = {"retrieved": retrieved, "used": used, "precision": round(used / retrieved, 4) if retrieved else 0}
    return told


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
    if state.calls and (answered := {output.call_id for output in message.outputs}.intersection(state.calls)):
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
