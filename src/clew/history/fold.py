"""A session's history: entries folded into messages, and the two views of them.

A reply that came line by line is one message; an edit is a new version in the old place;
a rollback takes exchanges out of the prompt view. The record view keeps all of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clew.codecs.formats import TRANSCRIPTS
from clew.domain import Entry, Message, Origin, Part, Record, Role, Text, Tool
from clew.domain.ids import message_id
from clew.history.user_requests import is_request


@dataclass(slots=True)
class History:
    """A session's messages by number, built entry by entry.

    ``aliases`` maps a replaced message to its next version;
    ``rolled_back`` holds the numbers that a rollback took out of the prompt view, ``transcribed`` those of messages
    that came from an assistant's session file.
    """

    messages: dict[int, Message] = field(default_factory=dict)
    aliases: dict[int, int] = field(default_factory=dict)
    rolled_back: set[int] = field(default_factory=set)
    transcribed: set[int] = field(default_factory=set)
    tools: tuple[Tool, ...] = ()

    def add(self, entry: Entry, record: Record) -> None:
        """Takes in one entry of the ledger, in order."""
        if record.tools is not None:
            self.tools = record.tools
        if record.rollback:
            self._roll_back(record.rollback)
        if record.message is None or not entry.message:
            return
        if entry.replaces:
            self.aliases[entry.replaces] = entry.message
        before = self.messages.get(entry.message)
        if before is None and entry.format in TRANSCRIPTS:
            self.transcribed.add(entry.message)
        new = replace(record.message, id=message_id(entry.message))
        self.messages[entry.message] = with_record(before, new) if before else new

    def _roll_back(self, exchanges: int) -> None:
        live = self._live()
        requests = [place for place, number in live if is_request(self.messages[number])]
        if requests:
            first = requests[-min(exchanges, len(requests))]
            self.rolled_back.update(number for place, number in live if place >= first)

    def _live(self) -> list[tuple[int, int]]:
        """Places in order and the number of the message that stands there now; what was rolled back is out."""
        replacements = set(self.aliases.values())
        places = [(place, self.resolve(place)) for place in sorted(self.messages) if place not in replacements]
        return [(place, number) for place, number in places if number not in self.rolled_back]

    def resolve(self, number: int) -> int:
        """Returns the number of a message's newest version."""
        while number in self.aliases:
            number = self.aliases[number]
        return number

    def record_view(self) -> list[Message]:
        """Returns everything, in recorded order, old versions and subagents included."""
        return [self.messages[number] for number in sorted(self.messages)]

    def prompt_view(self) -> list[Message]:
        """Returns what may be sent: the main thread in order, newest versions only, without what was rolled back."""
        return [self.messages[number] for _, number in self._live() if is_sendable(self.messages[number])]


def with_record(known: Message, new: Message) -> Message:
    """Returns a message with what a further record adds; parts that two channels both reported count once."""
    added = tuple(part for part in new.parts if not any(_is_same(part, other) for other in known.parts))
    stopped, usage = new.stop_reason or known.stop_reason, new.usage or known.usage
    origin = new.origin if new.origin is Origin.REPORTED else known.origin  # what is only reported vouches for nothing
    return replace(known, origin=origin, parts=known.parts + added, usage=usage, stop_reason=stopped, wire=None)


def _is_same(part: Part, other: Part) -> bool:
    """Equal in meaning; where one provider wrote both, equal in every byte as well, and no mere words: those may
    well be said twice."""
    if type(part) is not type(other):
        return False
    if part.wire and other.wire and part.wire.format == other.wire.format:
        return part == other and not isinstance(part, Text)
    return replace(part, wire=None) == replace(other, wire=None)


def is_sendable(message: Message) -> bool:
    """Returns False for messages of subagents, which have own threads, and for a client's stand-in for a reply."""
    stand_in = message.role is Role.ASSISTANT and message.origin is Origin.CLIENT
    return not message.thread and not stand_in and bool(message.parts)
