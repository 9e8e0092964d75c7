"""The prompt log: reads and writes the ledger entries about epochs, inputs, compactions and summaries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clew.codecs.clew_values import dump_value, read_value
from clew.domain import CompactionRequest, EntryKind, Epoch, Json, Message, RetrievedSpan, SentInput, Tool
from clew.domain.values import from_json, to_json
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.errors import UsageError, VersionConflict
from clew.history.prompt_state import (
    PromptState,
    PromptStateProjection,
    StreamEpochs,
    all_epochs,
    epochs_of,
    sent_row,
    sent_since,
)
from clew.ports import Rows
from clew.signals.projection import SignalsProjection, is_shared_by_all

if TYPE_CHECKING:
    from clew.summaries.values import WrittenSummary


class PromptLog:
    """Reads and writes the entries that say what was sent. Entries never change, so each is read once."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader) -> None:
        self._ledger, self._reader = ledger, reader
        self._bodies: dict[int, Json] = {}
        self._sent: dict[int, SentInput] = {}
        self._own: tuple[SentInput, int] | None = None
        self._caller: tuple[tuple[int, ...], tuple[Message, ...], tuple[Tool, ...]] | None = None

    def state(self) -> PromptState:
        """Returns the state of the prompt projection, up to date."""
        state = self._ledger.state(PromptStateProjection.name)
        return PromptState(**state) if state else PromptState()

    def _rows(self) -> Rows:
        return self._ledger.rows(PromptStateProjection.name)

    def _body(self, seq: int) -> Json:
        if seq not in self._bodies:
            self._bodies[seq] = self._ledger.body(seq)
        return self._bodies[seq]

    # ── the caller's part ────────────────────────────────────────────────────────────────────────────

    def system_and_tools(self) -> tuple[tuple[Message, ...], tuple[Tool, ...]]:
        """Returns the system prompt and tools as the caller last gave them.
        They are read again only when they changed.
        """
        state = self.state()
        where = (*state.system, state.system_changes, state.tools)
        if self._caller is None or self._caller[0] != where:
            messages = tuple(message for number in state.system for message in self._reader.read_range(number, number))
            self._caller = (where, messages, self._tools(state.tools))
        return self._caller[1], self._caller[2]

    def _tools(self, seq: int) -> tuple[Tool, ...]:
        entry = next(iter(self._ledger.read(after=seq - 1, until=seq)), None) if seq else None
        return (entry[1].tools or ()) if entry else ()

    def system_text(self) -> str:
        """Returns the system prompt that epochs begin with, as it was last put together; empty where none was."""
        seq = self.state().composed
        text: str = self._body(seq).get("system", "") if seq else ""
        return text

    def write_system(self, text: str) -> None:
        """Writes the system prompt that the next epochs begin with, unless it is the last one already."""
        with self._ledger.transaction():
            if self.system_text() != text:
                self._ledger.append(EntryKind.SYSTEM, {"system": text})

    # ── epochs ───────────────────────────────────────────────────────────────────────────────────────

    def epochs(self, stream: str) -> StreamEpochs | None:
        """Returns the epochs of a stream; None before its first. One that states what versions which shared one profile
        among all sessions gave it has ended.
        """
        epochs = epochs_of(stream, self._rows())
        if epochs and epochs.seq and is_shared_by_all(self._ledger.state(SignalsProjection.name) or {}):
            return replace(epochs, seq=0)
        return epochs

    def epoch(self, seq: int) -> Epoch:
        """Returns the epoch that an entry started."""
        return from_json(Epoch, self._body(seq)["epoch"])

    def newest_epoch(self) -> tuple[int, Epoch] | None:
        """Returns the newest current epoch, of any stream, with its entry; None where there is none."""
        seqs = [epochs.seq for _, epochs in all_epochs(self._rows()) if epochs.seq]
        return (max(seqs), self.epoch(max(seqs))) if seqs else None

    def is_followed(self, seq: int) -> bool:
        """Returns True for the entry of an epoch that goes on, or of a compaction that the next pack follows."""
        return seq == self.state().compaction or any(epochs.seq == seq for _, epochs in all_epochs(self._rows()))

    def write_epoch(self, epoch: Epoch) -> None:
        """Writes an epoch to the ledger."""
        self._ledger.append(EntryKind.EPOCH, {"epoch": to_json(epoch)})

    # ── inputs ───────────────────────────────────────────────────────────────────────────────────────

    def sent_input(self, seq: int) -> SentInput:
        """Returns the input that an entry recorded."""
        if seq not in self._sent:
            self._sent[seq] = _sent_from_json(self._body(seq)["sent"])
        return self._sent[seq]

    def sent_at(self, stream: str, after: int) -> SentInput | None:
        """Returns the input that was sent when the session had ``after`` messages; None where there is none."""
        seq = self._rows().get(sent_row(stream, after))
        return None if seq is None else self.sent_input(seq)

    def sent_since(self, stream: str, after: int) -> list[tuple[int, SentInput]]:
        """Returns inputs that were sent when the session had ``after`` or more messages, each with that count."""
        return [(place, self.sent_input(seq)) for place, seq in sent_since(stream, after, self._rows())]

    def last_sent(self) -> SentInput | None:
        """Returns the last input that was sent, on any stream."""
        seq = self.state().sent
        return self.sent_input(seq) if seq else None

    def open_inputs(self) -> list[SentInput]:
        """Returns the inputs that the next reply may answer: the last that was sent by this handle, then one that
        others sent since.
        """
        own, known = ([self._own[0]], self._own[1]) if self._own else ([], 0)
        seq = self.state().sent
        return [*own, self.sent_input(seq)] if seq != known else own

    def is_asked_on(self, stream: str) -> bool:
        """Returns True where the last prompt that was sent is one of the stream's current epoch."""
        asked, epochs = self.state().asked, self.epochs(stream)
        return bool(asked) and asked[-1][1:] == [stream, epochs.seq if epochs else 0]

    def write_sent(self, sent: SentInput) -> None:
        """Writes an input to the ledger, unless the same one is the last that was sent there; one without messages
        only where a prompt of another epoch was sent last.
        """
        says_more = bool(sent.messages) or not self.is_asked_on(sent.stream)
        if says_more and self.sent_at(sent.stream, sent.after) != sent:
            self._ledger.append(EntryKind.SENT, {"sent": _sent_to_json(sent)})
        self._own = (sent, self.state().sent)

    # ── compactions and summaries ────────────────────────────────────────────────────────────────────

    def pending_compaction(self, epochs: StreamEpochs | None) -> CompactionRequest | None:
        """Returns the compaction by hand that a stream has yet to follow; None where there is none."""
        seq = self.state().compaction
        if not seq or (epochs is not None and epochs.compaction != seq):
            return None
        request = self._body(seq).get("compaction")
        return from_json(CompactionRequest, request) if request else None

    def write_compaction(self, request: CompactionRequest, *, after: int, at: float, version: int, known: int) -> None:
        """Writes a compaction to the ledger, with the tokens of the prompt ``after`` it and when it was asked for.

        Raises VersionConflict if the session's version or its last compaction changed meanwhile.
        """
        with self._ledger.transaction():
            if self._ledger.info.version != version or self.state().compaction != known:
                raise VersionConflict(
                    f"session {self._ledger.id} was rewritten or compacted meanwhile; nothing was done"
                )
            about = {"compaction": to_json(request), "before": known, "after": after, "at": at}
            self._ledger.append(EntryKind.COMPACTION, about)

    def undo_compaction(self) -> None:
        """Takes the last compaction back, automatic or not: each stream goes on with the epoch it had before.

        Raises UsageError if there is none.
        """
        with self._ledger.transaction():
            by_hand = self.state().compaction
            undoable = [epochs.undo[-1][0] for _, epochs in all_epochs(self._rows()) if epochs.undo]
            last = max([by_hand, *undoable])
            if not last:
                raise UsageError(
                    f"nothing to undo: session {self._ledger.id} has no compaction to take back",
                    hint="compact() makes one where there is something to sum up, else `undo` of its report is empty",
                    about="compaction",
                )
            about = {"undo": last}
            if last == by_hand:
                about["before"] = self._body(last).get("before", 0)
            self._ledger.append(EntryKind.COMPACTION, about)

    def summary(self) -> WrittenSummary | None:
        """Returns the newest summary that a model wrote and that still holds; None where there is none."""
        from clew.summaries.values import WrittenSummary

        seq = self.state().summary
        return from_json(WrittenSummary, self._body(seq)["summary"]["written"]) if seq else None

    def write_summary(self, written: WrittenSummary, *, until: int, version: int) -> bool:
        """Writes a summary to the ledger.
        Returns False, and writes nothing, if the session was rewritten or purged meanwhile.
        """
        with self._ledger.transaction():
            if self._ledger.info.version != version or not self._ledger.is_stored:
                return False
            self._ledger.append(EntryKind.SUMMARY, {"summary": {"written": to_json(written), "last": until}})
            return True


def _sent_from_json(data: Json) -> SentInput:
    input, injected, clipped = (
        tuple(read_value(Message, raw) for raw in data.get(name, ())) for name in ("words", "added", "clipped")
    )
    return SentInput(
        stream=data["line"],
        after=data["after"],
        input=input,
        clipped=clipped,
        injected=injected,
        reminders=tuple((id, lapse) for id, lapse in data.get("reminders", ())),
        pinned=tuple(data.get("pinned", ())),
        withdrawn=tuple(data.get("withdrawn", ())),
        knowledge=tuple(data.get("knowledge", ())),
        retrieved=tuple(from_json(RetrievedSpan, raw) for raw in data.get("retrieved", ())),
    )


def _sent_to_json(sent: SentInput) -> Json:
    input, injected = ([dump_value(message) for message in messages] for messages in (sent.input, sent.injected))
    rest = {
        name: getattr(sent, name) for name in ("reminders", "pinned", "withdrawn", "knowledge") if getattr(sent, name)
    }
    if sent.retrieved:
        rest["retrieved"] = to_json(sent.retrieved)
    if sent.clipped:
        rest["clipped"] = [dump_value(message) for message in sent.clipped]
    return {"line": sent.stream, "after": sent.after, "words": input, "added": injected} | rest
