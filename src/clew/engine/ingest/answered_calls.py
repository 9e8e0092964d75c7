"""Gives outputs that name no call the id of the call that they answer.

Clients of APIs that pair by name and order (Gemini, and the older functions of OpenAI) often leave the id out, also
where the call has one. Paired once here, everything that reads the session finds the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from clew.codecs.providers.conversion import derived_place, is_derived
from clew.domain import Call, Message, Output, Part
from clew.engine.ingest.decode import decode_message
from clew.engine.ledger.records import DecodedRecord


def with_answered_calls(
    records: Sequence[DecodedRecord], recent: Callable[[], Sequence[Message]]
) -> list[DecodedRecord]:
    """Returns the records, in which outputs without an id have that of their call. ``recent`` is asked for the newest
    messages of the session where the records begin with such outputs.
    """
    if not any(map(_names_no_call, records)):
        return list(records)
    step, out = _Step(), list[DecodedRecord]()
    for record in records:
        message = record.record.message
        if message is not None and not message.thread:
            if not step.calls and _names_no_call(record):
                for earlier in recent():
                    step.take(earlier)
            if (answering := step.take(message)) is not message:
                record = _with_message(record, answering)
        out.append(record)
    return out


def _names_no_call(record: DecodedRecord) -> bool:
    message = record.record.message
    return message is not None and any(is_derived(part.call_id) for part in message.outputs if not part.server)


def _with_message(record: DecodedRecord, message: Message) -> DecodedRecord:
    """The record as ours, with the message as it came inside: the ids it lacks are no part of what is sent again."""
    made = decode_message(message)
    return replace(made, record=replace(record.record, message=message))


@dataclass(slots=True)
class _Step:
    """The calls of the newest step, and what those that are answered were told, by their ids."""

    calls: list[Call] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)

    def take(self, message: Message) -> Message:
        """Returns the message with ids for its outputs; its calls begin a step if the one before was answered."""
        if message.calls and self.answered:
            self.calls, self.answered = [], {}
        self.calls += [call for call in message.calls if not call.server]
        parts = tuple(map(self._answer, message.parts))
        return message if parts == message.parts else replace(message, parts=parts)

    def _answer(self, part: Part) -> Part:
        if not isinstance(part, Output) or part.server:
            return part
        id = self._call_of(part) if is_derived(part.call_id) else part.call_id
        self.answered[id] = part.text
        return part if id == part.call_id else replace(part, call_id=id)

    def _call_of(self, output: Output) -> str:
        """The first open call of that name; where all have their outputs, the one that was told the same, or is in its
        place."""
        named = [call.id for call in self.calls if call.name == output.name]
        waiting = [id for id in named if id not in self.answered]
        if waiting or not named:
            return waiting[0] if waiting else output.call_id
        same = [id for id in named if self.answered[id] == output.text]
        return same[0] if len(same) == 1 else named[min(derived_place(output.call_id), len(named) - 1)]
