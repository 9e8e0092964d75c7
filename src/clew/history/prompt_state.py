"""The prompt state: a projection of what was sent, so that packing need not read the whole session.

It holds where the caller's system prompt and tools stand, the epoch of each stream, inputs as they were sent, the last
compaction by hand, and the newest summary that a model wrote.

Rows: ``epoch/`` and a stream hold a ``StreamEpochs``. ``sent/``, a stream and a message count hold the sequence number
of the input that was sent there, the last one if there were several.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from clew.domain import EntryKind, Message, Role, Trigger
from clew.domain.values import fields_of, from_json, to_json
from clew.history.overview import OverviewProjection, place_of, row_name
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rows

_EPOCH, _SENT = "epoch/", "sent/"
#: How many compactions can be taken back, one after the other.
_MOST_UNDONE = 8
#: Number of epochs whose effect is remembered: after two that freed little a third would do no better.
_REMEMBERED = 2


@dataclass(slots=True)
class PromptState:
    """State of the projection: numbers of messages and sequence numbers of ledger entries; 0 where there is none.

    - ``system``: messages with the caller's system prompt, newest versions.
    - ``system_changes``: how often something was recorded of system messages.
    - ``talking``: something other than a system prompt was recorded in the main conversation.
    - ``tools``, ``sent``: entries of the current tools and of the last input that was sent.
    - ``last``: the last message. ``changed``: the last message before system prompt or tools changed.
    - ``compaction``: entry of the last compaction by hand.
      ``undone``: the last message when one was taken back, else 0.
    - ``summary``: entry of the newest summary that still holds. ``summarised``: the last message it covers.
    - ``composed``: entry of the system prompt that the next epochs begin with.
    - ``asked``: whose prompts were sent, from which message on: the last message before, the stream, and the entry of
      its epoch. The stream is empty for prompts of an epoch that was taken back.
    """

    system: list[int] = field(default_factory=list)
    system_changes: int = 0
    talking: bool = False
    tools: int = 0
    sent: int = 0
    last: int = 0
    changed: int = 0
    compaction: int = 0
    undone: int = 0
    summary: int = 0
    summarised: int = 0
    composed: int = 0
    asked: list[list[Any]] = field(default_factory=list)

    def asked_on(self, number: int) -> str | None:
        """Returns the stream whose prompt a reply answered; None where no prompt of ours was sent before it."""
        return next((stream for last, stream, _ in reversed(self.asked) if last < number), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamEpochs:
    """The epochs of one stream.

    ``seq`` is the entry of the current epoch, 0 when it has ended; ``number`` counts epochs and ``tail_start`` is the
    first message after its snapshot, if it ``has_snapshot``. ``undo`` are pairs: a compaction that can be taken back,
    and the epoch before it. ``compaction`` is the one by hand that the epoch follows, or that ended it. ``freed`` is
    the share of the prompt that each of the last epochs saved.
    """

    seq: int
    number: int = 0
    tail_start: int = field(default=1, metadata={"key": "cut"})
    undo: tuple[tuple[int, ...], ...] = ()
    compaction: int = field(default=0, metadata={"key": "order"})
    freed: tuple[float, ...] = ()
    has_snapshot: bool = field(default=False, metadata={"key": "is_short"})

    def without_epoch(self) -> StreamEpochs:
        """Returns the same without a current epoch; no earlier compaction can be taken back afterwards."""
        return replace(self, seq=0, undo=())


def epochs_row(stream: str) -> str:
    """Returns the name of the row that holds a stream's epochs."""
    return _EPOCH + stream


def sent_row(stream: str, after: int) -> str:
    """Returns the name of the row of the input that was sent when the session had ``after`` messages."""
    return f"{_SENT}{stream}/{after:09d}"


def epochs_of(stream: str, rows: Rows) -> StreamEpochs | None:
    """Returns the epochs of a stream; None before its first."""
    row = rows.get(epochs_row(stream))
    return from_json(StreamEpochs, row) if row else None


def all_epochs(rows: Rows) -> list[tuple[str, StreamEpochs]]:
    """Returns the epochs of every stream, each with the name of its row."""
    return [(name, from_json(StreamEpochs, row)) for name, row in rows.scan(_EPOCH, _EPOCH + "~")]


def sent_since(stream: str, after: int, rows: Rows) -> list[tuple[int, int]]:
    """Returns the inputs sent on a stream when the session had
    ``after`` or more messages, as pairs of count and entry.
    """
    scanned = rows.scan(sent_row(stream, max(after, 0)), f"{_SENT}{stream}/~")
    return [(int(name.rpartition("/")[2]), seq) for name, seq in scanned]


class PromptStateProjection:
    """Projects epochs, sent inputs, compactions and summaries, and where system prompt and tools stand."""

    name = "sending"  # the name in stores
    version = 4
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new events. A note that is damaged or of another version changes nothing."""
        prompts = PromptState(**state) if state else PromptState()
        for change in changes:
            if isinstance(change, LedgerNote):
                with suppress(KeyError, TypeError, ValueError):  # of another version, or damaged: it changes nothing
                    _note(change, prompts, rows)
            elif isinstance(change, MessageChange):
                _add_message(change, prompts, rows)
            else:
                _end_rolled_back(rows)
                last = _place_before(prompts.summarised + 1, rows.of(OverviewProjection.name))
                prompts.summary = 0 if last.get("left") else prompts.summary
        return fields_of(prompts)


# ── entries of our own ───────────────────────────────────────────────────────────────────────────────


def _note(note: LedgerNote, state: PromptState, rows: Rows) -> None:
    if note.kind is EntryKind.TOOLS:
        state.changed = state.last if state.tools else state.changed
        state.tools = note.seq
    elif note.kind is EntryKind.EPOCH and "ended" in note.about:
        _end_epochs(rows)
    elif note.kind is EntryKind.EPOCH:
        _start_epoch(note, state, rows)
    elif note.kind is EntryKind.COMPACTION:
        _undo(note, state, rows) if "undo" in note.about else _compact(note, state, rows)
    elif note.kind is EntryKind.SUMMARY:
        state.summary, state.summarised = note.seq, note.about["summary"]["last"]
    elif note.kind is EntryKind.SYSTEM:
        state.composed = note.seq
    elif note.kind is EntryKind.SENT:
        about = note.about["sent"]
        rows.put(sent_row(about["line"], about["after"]), note.seq)
        state.sent = note.seq
        _ask(state, about["line"], rows)


def _start_epoch(note: LedgerNote, state: PromptState, rows: Rows) -> None:
    about = note.about["epoch"]
    trigger = Trigger(about.get("why", Trigger.FIRST))
    state.undone = 0 if trigger.is_at_limit else state.undone
    epochs = epochs_of(about["line"], rows) or StreamEpochs(seq=0)
    before, after = about.get("before", 0), about.get("after", 0)
    freed = (*epochs.freed, round(1 - after / before, 3))[-_REMEMBERED:] if before and after else ()
    is_undoable = about.get("snapshot") and trigger.is_automatic
    started = StreamEpochs(
        seq=note.seq,
        number=about["number"],
        tail_start=about.get("cut", 1),
        undo=_push_undo(epochs, note.seq) if is_undoable else epochs.undo,
        compaction=state.compaction,
        freed=freed,
        has_snapshot=bool(about.get("snapshot")),
    )
    _put(rows, epochs_row(about["line"]), started)
    _ask(state, about["line"], rows)


def _ask(state: PromptState, stream: str, rows: Rows) -> None:
    """Notes whose prompts are sent from here on."""
    epochs = epochs_of(stream, rows)
    asked = [stream, epochs.seq if epochs else 0]
    if not state.asked or state.asked[-1][1:] != asked:
        state.asked.append([state.last, *asked])


def _end_epochs(rows: Rows) -> None:
    """Every stream begins a new epoch with its next pack, and counts on from there."""
    for name, epochs in all_epochs(rows):
        _put(rows, name, epochs.without_epoch())


def _compact(note: LedgerNote, state: PromptState, rows: Rows) -> None:
    """Every stream follows with its next pack."""
    for name, epochs in all_epochs(rows):
        _put(rows, name, replace(epochs, seq=0, compaction=note.seq, undo=_push_undo(epochs, note.seq)))
    state.compaction, state.undone = note.seq, 0


def _undo(note: LedgerNote, state: PromptState, rows: Rows) -> None:
    """Each stream goes on with what it had before."""
    undone = note.about["undo"]
    for name, epochs in all_epochs(rows):
        position = next((index for index, (cause, _) in enumerate(epochs.undo) if cause == undone), None)
        compaction = note.about.get("before", epochs.compaction)
        if position is None and epochs.compaction == undone:  # what it had before has been rewritten since
            _put(rows, name, replace(epochs, seq=0, has_snapshot=False, compaction=compaction))
        elif position is not None:
            seq = epochs.undo[position][1]
            stream = name.removeprefix(_EPOCH)
            state.asked = [[n, "" if line == stream and of > seq else line, of] for n, line, of in state.asked]
            _put(rows, name, replace(epochs, seq=seq, undo=epochs.undo[:position], compaction=compaction, freed=()))
    state.undone = state.last
    state.compaction = note.about.get("before", state.compaction)


def _push_undo(epochs: StreamEpochs, cause: int) -> tuple[tuple[int, ...], ...]:
    """What can be taken back, with the compaction that puts an end to the epoch that goes on."""
    return (*epochs.undo, (cause, epochs.seq))[-_MOST_UNDONE:]


def _put(rows: Rows, name: str, epochs: StreamEpochs) -> None:
    rows.put(name, to_json(epochs))


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────


def _add_message(change: MessageChange, state: PromptState, rows: Rows) -> None:
    if change.replaces and change.replaces not in state.system:
        place = place_of(change.replaces, rows.of(OverviewProjection.name))
        _end_rewritten(rows, place)
        state.summary = 0 if place <= state.summarised else state.summary
    message = change.message
    state.system_changes += message.role is Role.SYSTEM
    if message.role is Role.SYSTEM and state.talking and (change.replaces or is_beside(message)):
        state.changed = state.last
    state.last = max(state.last, change.number)
    if change.replaces:
        state.system = [change.number if number == change.replaces else number for number in state.system]
    elif message.role is not Role.SYSTEM:
        state.talking = state.talking or not message.thread
    elif not change.grows and (not state.talking or is_beside(message)):
        state.system.append(change.number)


def is_beside(message: Message) -> bool:
    """Returns True for a system prompt that came beside the messages, as most providers want it, not among them."""
    wire = message.wire
    return wire is not None and isinstance(wire.data, dict) and "role" not in wire.data


def _place_before(number: int, overview: Rows) -> Any:
    """The row of the last message before a number that is no new version of another."""
    while number > 1:
        number -= 1
        row = overview.get(row_name(number)) or {}
        if "place" not in row:
            return row
    return {}


def _end_rewritten(rows: Rows, place: int) -> None:
    """A snapshot that tells of what was rewritten cannot go on; what was sent word for word may change freely."""
    for name, epochs in all_epochs(rows):
        ends = 0 < place < epochs.tail_start
        _put(rows, name, epochs.without_epoch() if ends else replace(epochs, undo=()))


def _end_rolled_back(rows: Rows) -> None:
    """A snapshot that tells of what was rolled back cannot go on."""
    overview = rows.of(OverviewProjection.name)
    for name, epochs in all_epochs(rows):
        ends = _place_before(epochs.tail_start, overview).get("left")
        _put(rows, name, epochs.without_epoch() if ends else replace(epochs, undo=()))
