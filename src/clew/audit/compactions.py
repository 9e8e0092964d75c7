"""Compactions of a session: what stood before each, the summary that took its place, what came after, and how long
people waited for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from clew.audit.recorded_session import CompactionMark, RecordedSession
from clew.domain import Message, Origin, Role
from clew.history.fold import is_sendable

#: Messages behind a mark among which its summary stands.
_NEAR_MESSAGES = 4
#: Longer than this nobody waits for a compaction: the machine slept, or the clock was set.
_MAX_WAIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedSpan:
    """One compaction. ``before`` are the messages since the one before it, ``after`` those until the next.

    ``held`` is all that the prompt had right behind it, as far as the record shows: empty where the record hides the
    summary. ``seconds`` is how long people waited, None where the record does not tell; ``since`` is the number of the
    message from which that is counted, 0 where the client itself says how long it took.
    """

    place: int
    mark: CompactionMark
    before: tuple[Message, ...]
    after: tuple[Message, ...]
    summary: Message | None
    held: str
    seconds: float | None
    since: int

    @property
    def is_readable(self) -> bool:
        """False where the record does not show the summary, so that nobody can say what it lost."""
        return self.summary is not None


def compacted_spans(session: RecordedSession) -> Iterator[CompactedSpan]:
    """Yields the compactions that have messages before them, in order."""
    last = session.main[-1].number if session.main else 0
    ends = [*(mark.after for mark in session.marks[1:]), last]
    start = 0
    for place, (mark, end) in enumerate(zip(session.marks, ends, strict=False), 1):
        before = tuple(message for message in session.main if start < message.number <= mark.after)
        behind = [message for message in session.main if mark.after < message.number <= end]
        summary = next((message for message in behind[:_NEAR_MESSAGES] if message.origin is Origin.SUMMARY), None)
        start = mark.after
        seconds, since = (mark.seconds, 0) if mark.seconds is not None else _waiting_time(session, mark)
        if any(message.role is Role.ASSISTANT for message in before):
            yield CompactedSpan(
                place=place,
                mark=mark,
                before=before,
                after=tuple(message for message in behind if message is not summary),
                summary=summary,
                held=f"{summary.text}\n{mark.kept}" if summary else "",
                seconds=seconds,
                since=since,
            )


def _waiting_time(session: RecordedSession, mark: CompactionMark) -> tuple[float | None, int]:
    """Seconds from the last message before a compaction to its end, and the number of that message.

    A command to compact is recorded behind the summary, with the time at which it was typed. Behind an answer nobody
    waits, unless that command says so.
    """
    if mark.at is None:
        return None, 0
    near = [
        message
        for message in session.messages
        if message.number <= mark.after + _NEAR_MESSAGES and _is_of_turn(message)
    ]
    earlier = [message for message in near if message.at is not None and message.at < mark.at - 0.001]
    last = max(earlier, key=lambda message: message.at or 0.0, default=None)
    if last is None or last.at is None or (last.role is Role.ASSISTANT and not last.calls):
        return None, 0
    taken = mark.at - last.at
    return (round(taken, 1), last.number) if taken <= _MAX_WAIT_SECONDS else (None, 0)


def _is_of_turn(message: Message) -> bool:
    return not message.thread and (is_sendable(message) or message.origin is Origin.CLIENT)
