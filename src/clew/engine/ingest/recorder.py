"""The recorder: the one way into a session, for callers, imported files, followed files, hooks and gateways alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from clew.codecs import registry
from clew.domain import Message, Role, SentInput
from clew.domain.critical import ItemState
from clew.domain.ids import message_id
from clew.engine.health.encoder_verdicts import EncoderVerdicts
from clew.engine.health.external_rules import ExternalRules
from clew.engine.ingest.answered_calls import with_answered_calls
from clew.engine.ingest.decode import decode_message
from clew.engine.ingest.record_listeners import RecordListeners
from clew.engine.ingest.retrieval_judge import Recorded, RetrievalJudge
from clew.engine.ledger.records import AppendResult, ChannelCursor, ChannelKind, DecodedRecord
from clew.engine.read.session_vectors import SessionVectors
from clew.engine.session_core import SessionCore
from clew.foreground import in_foreground
from clew.history.part_identity import identities, overlap
from clew.history.user_requests import is_request
from clew.packing.inputs import is_same_input
from clew.replies.parsing import without_notes

#: A step is looked for among this many of the newest messages: as many outputs may come one by one.
_STEP_MESSAGES = 64


class RecordOrigin(StrEnum):
    """Where records come from: said now in a live session, or read from a file."""

    LIVE = "live"
    IMPORTED = "imported"


@dataclass(frozen=True, slots=True)
class RecordResult:
    """What one call of ``record`` did: ids of messages that are new or grew, how many records were known already,
    how many entries were appended, and how many messages are new."""

    ids: tuple[str, ...]
    known: int = 0
    entries: int = 0
    new: int = 0


class Recorder:
    """Appends decoded records to one session."""

    def __init__(
        self,
        core: SessionCore,
        *,
        rules: ExternalRules,
        verdicts: EncoderVerdicts,
        vectors: SessionVectors,
        listeners: RecordListeners,
        judge: RetrievalJudge,
    ) -> None:
        self._ledger, self._reader, self._services = core.ledger, core.reader, core.services
        self._log, self._pins, self._rules, self._listeners = core.log, core.pins, rules, listeners
        self._verdicts, self._vectors, self._judge = verdicts, vectors, judge

    @in_foreground
    def record(
        self,
        records: Sequence[DecodedRecord],
        cursor: ChannelCursor,
        origin: RecordOrigin = RecordOrigin.LIVE,
        *,
        index: bool = False,
        asked: SentInput | None = None,
    ) -> RecordResult:
        """Appends what is new and emits ``recorded``.
        Live records bring projections up to date; imported ones leave them, with ``index`` all but the word index.
        Calls are taken in with their outputs, or by whoever reads before those come: nobody packs between the two.

        What a person says live may join the user's profile, if that is enabled. Rules that lapse by it are emitted as
        ``critical.lapsed``.
        A reply to an input that was packed but never recorded has that input recorded first: the one ``asked``, or the
        last that was sent.
        """
        with self._ledger.transaction():
            if origin is RecordOrigin.LIVE and self._ledger.is_stored:
                self._pins.take_in_profile()
            records = with_answered_calls(records, self._recent)
            input = self._answered_input(records, cursor, asked) if cursor.appends else []
            recorded = self._overlap(records) if cursor.appends and not input else set()
            new = [*input, *(record for index, record in enumerate(records) if index not in recorded)]
            done = self._ledger.append_records(new, cursor, index=index)
            is_awaiting = origin is RecordOrigin.LIVE and _awaits_outputs(new)
            if origin is RecordOrigin.LIVE and not is_awaiting:
                self._ledger.bring_up_to_date()
                if self._services.config.critical.profile and any(map(_is_said, new)):
                    self._rules.teach_profile(set(map(message_id, done.numbers)))
                self._judge.judge(_recorded_facts(new, cursor))
        result = self._announce(done, len(recorded), is_awaiting=is_awaiting)
        if origin is RecordOrigin.LIVE and done.entries:
            self._verdicts.schedule()
            self._vectors.schedule()
        if origin is RecordOrigin.LIVE and any(map(_is_said, new)):
            self._announce_lapsed(result.ids)
        return result

    def judge_imported(self) -> None:
        """Judges what was retrieved for turns that are over. Projections have to be up to date."""
        self._judge.judge(Recorded(request=True))

    def _recent(self) -> list[Message]:
        return self._reader.recent_messages(_STEP_MESSAGES, shared=True)

    def _announce(self, done: AppendResult, overlapping: int, *, is_awaiting: bool) -> RecordResult:
        """Emits ``recorded``. Whoever waits for records reads what is derived: of calls, when their outputs come."""
        ids = tuple(message_id(number) for number in dict.fromkeys(done.numbers))
        if done.entries:
            self._services.events.emit("recorded", session=self._ledger.id, messages=ids)
        if done.entries and not is_awaiting:
            self._listeners.notify(self._ledger)
        return RecordResult(ids, done.known + overlapping, done.entries, done.new)

    def _announce_lapsed(self, ids: Collection[str]) -> None:
        """Whoever listens hears which rules ended with these messages, and how to take each back."""
        for item in self._pins.all():
            if item.state is ItemState.LAPSED and item.ended_in in ids:
                about = {
                    "item": item,
                    "reason": item.ended_reason,
                    "take_back": f"clew pin {self._ledger.id} {item.id}",
                }
                self._services.events.emit("critical.lapsed", session=self._ledger.id, **about)

    def _answered_input(
        self, records: Sequence[DecodedRecord], cursor: ChannelCursor, asked: SentInput | None
    ) -> list[DecodedRecord]:
        """The input that this reply answers, where a pack handed it out and nobody recorded it. Others may have spoken
        meanwhile; a reporter, who was not the one to ask, takes it up only where nobody has.
        """
        messages = [record.record.message for record in records if record.record.message]
        messages = [message for message in messages if message.role is not Role.SYSTEM]
        if not messages or messages[0].role is not Role.ASSISTANT:
            return []
        is_caller, here = cursor.kind is ChannelKind.CALLER, self._ledger.info.messages
        sent = [asked] if asked else self._log.open_inputs()
        found = (self.unrecorded(one, beside=messages) for one in sent if is_caller or one.after == here)
        return next(filter(None, found), [])

    def unrecorded(self, sent: SentInput, *, beside: Sequence[Message] = ()) -> list[DecodedRecord]:
        """Returns an input to record; nothing where it is ``beside``, or was recorded after it was sent."""
        input = [decode_message(message) for message in sent.input]
        kept = [message for record in input if (message := self._as_kept(record)) is not None]
        since = self._reader.read_range(sent.after + 1, self._ledger.info.messages, shared=True)
        return [] if any(_says(message, kept) for message in (*since, *beside)) else input

    def _overlap(self, records: Sequence[DecodedRecord]) -> set[int]:
        """Which of the records say again what the session already ends with."""
        indexed = [
            (index, message) for index, record in enumerate(records) if (message := self._as_kept(record)) is not None
        ]
        talk = [(index, message) for index, message in indexed if message.role is not Role.SYSTEM]
        if not talk:
            return {index for index, _ in indexed} & self._known_system(indexed)
        recent = self._reader.recent_messages(len(talk), shared=True)
        count = overlap(list(map(_fingerprint, recent)), [_fingerprint(message) for _, message in talk])
        count = count or _overlapping_parts(recent, [message for _, message in talk])
        overlapping = {index for index, _ in talk[:count]}
        return overlapping | self._known_system(
            [(index, message) for index, message in indexed if message.role is Role.SYSTEM]
        )

    def _as_kept(self, record: DecodedRecord) -> Message | None:
        """What a record says, as the ledger would keep it; records that find their own place are left out."""
        if record.record.message is None or record.record.revises:
            return None
        body = self._ledger.mask(record.body)
        return record.record.message if body == record.body else registry.codec(record.format).read(body).message

    def _known_system(self, indexed: Sequence[tuple[int, Message]]) -> set[int]:
        """System messages that stand in the session as they are."""
        if not indexed:
            return set()
        recorded = {
            _fingerprint(message) for message in self._reader.history().prompt_view() if message.role is Role.SYSTEM
        }
        return {index for index, message in indexed if _fingerprint(message) in recorded}


def _recorded_facts(new: Sequence[DecodedRecord], cursor: ChannelCursor) -> Recorded:
    """What the judge of retrieval has to know of records."""
    messages = [record.record.message for record in new if record.record.message]
    last = next((message for message in reversed(messages) if message.role is not Role.SYSTEM), None)
    is_end = last is not None and last.role is Role.ASSISTANT and not last.calls and bool(last.text.strip())
    return Recorded(request=any(map(is_request, messages)), end=is_end, by_caller=cursor.kind is ChannelKind.CALLER)


def _awaits_outputs(new: Sequence[DecodedRecord]) -> bool:
    """True for a reply that calls tools: what comes next are their outputs."""
    message = new[-1].record.message if new else None
    return message is not None and bool(message.calls) and not any(map(_is_said, new))


def _is_said(record: DecodedRecord) -> bool:
    """True for words of a person: what is not said in the session may have changed since the last ones."""
    return record.record.message is not None and is_request(record.record.message)


def _says(message: Message, input: Sequence[Message]) -> bool:
    """True for a message that says what an input says, or tells the outputs of its calls, among others or not."""
    if not input or message.thread:
        return False
    if input[0].outputs:
        return {output.call_id for output in input[0].outputs} <= {output.call_id for output in message.outputs}
    return is_same_input(message, input) and bool(
        message.text.strip() or _fingerprint(message) == _fingerprint(input[0])
    )


def _overlapping_parts(recent: Sequence[Message], messages: Sequence[Message]) -> int:
    """Counts how many of the given messages, from the first, are the last ones recorded, where a reply that is one
    message in the session comes as several: reasoning, words and calls, one after the other.
    """
    recorded = [identities(without_notes(message)) for message in recent]
    reported = [identities(without_notes(message)) for message in messages]
    count = overlap([part for parts in recorded for part in parts], [part for parts in reported for part in parts])
    starts = {0, *accumulate(len(parts) for parts in reversed(recorded))}
    ends = list(accumulate(len(parts) for parts in reported))
    return ends.index(count) + 1 if count and count in starts and count in ends else 0


def _fingerprint(message: Message) -> bytes:
    """Equal for a reply and for what its user sees of it, which callers hand in with the rest of a conversation."""
    return b"\x02".join(identities(without_notes(message)))
