"""How far a session was read a second time, and what people say in the entries that follow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clew.domain import Entry, Json, Message, Role
from clew.domain.ids import message_id
from clew.history.person_words import PersonStatement, StatementKind, next_statements
from clew.signals.critical.own_words import plays_on

#: Of what the assistant said before, so much is kept for the next statement: it asks at the end.
_BEFORE_CHARS = 1_000
#: Of a statement, so much tells whether roles are played.
_PLAY_CHARS = 1_200


@dataclass(frozen=True, slots=True)
class ReadingMark:
    """How far one version of a model has read: the last entry, the highest number of a message, and what the next
    statement is read with.
    """

    seq: int = 0
    message: int = 0
    before: str = ""
    calls: Json = field(default_factory=dict)
    is_played: bool = False


@dataclass(frozen=True, slots=True)
class Unread:
    """What a person said, when, what the assistant had said before it, and whether roles were played."""

    said: PersonStatement
    at: float | None
    before: str
    is_played: bool


def read_entry(mark: ReadingMark, entry: Entry, message: Message | None) -> tuple[ReadingMark, list[Unread]]:
    """Returns the mark behind an entry, and what people say in it; plans, which agents write, are not theirs."""
    mark = replace(mark, seq=entry.seq, message=max(mark.message, entry.message))
    if message is None or message.thread or message.role is Role.SYSTEM:
        return mark, []
    calls, is_played, unread = dict(mark.calls), mark.is_played, []
    for statement in next_statements(replace(message, id=message_id(entry.message)), calls):
        is_played = plays_on(statement.text[:_PLAY_CHARS].lower(), before=is_played)
        if statement.kind is not StatementKind.PLAN and statement.text.strip():
            unread.append(Unread(statement, message.at, mark.before, is_played))
    is_reply = message.role is Role.ASSISTANT and message.text.strip()
    before = message.text[-_BEFORE_CHARS:] if is_reply else mark.before
    return replace(mark, before=before, calls=calls, is_played=is_played), unread
