"""Digests: the facts extracted from a segment, and the segment at smaller sizes.

Every fact quotes the words of its message (trimmed, blanks joined) and names that message; nothing is rephrased.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.domain.ids import message_number
from clew.domain.messages import Origin


def _in_order(ids: set[str]) -> tuple[str, ...]:
    """m2 before m10."""
    return tuple(sorted(ids, key=lambda one: (len(one), one)))


class Outcome(StrEnum):
    """How a segment ended: the assistant finished or went on to what came next, it still works, waits for an answer or
    was broken off, or an error stands.
    """

    COMPLETED = "completed"
    ONGOING = "ongoing"
    ERROR = "error"


class FileUse(StrEnum):
    """What was done with a file. A later member of this list outweighs an earlier one."""

    READ = "read"
    CHANGED = "changed"
    CREATED = "created"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Words of a message, the id of that message, and who said them."""

    text: str
    source: str
    by: Origin = Origin.MODEL

    @property
    def number(self) -> int:
        """The number of that message."""
        return message_number(self.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUsage(Fact):
    """Use of a file: ``text`` is its path, ``lines`` the ranges read or changed, ``names`` the names found there.

    ``what`` is the change in the model's own words, if it noted one.
    """

    use: FileUse = FileUse.READ
    lines: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    what: Fact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRun(Fact):
    """A command that was run.
    ``ok`` is None while its result is unknown; ``result`` is the most telling line of its output.
    """

    ok: bool | None = None
    status: int | None = None
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Fact):
    """A failure of the command or path that it is ``about``: ``text`` is the line that tells it, ``more`` are others
    that tell why, ``at`` is file and line, ``tests`` are names of those that failed.

    ``resolved`` is the id of the message whose step later succeeded in the same thing; empty while the failure is open.
    Where only what failed was run again since, ``narrower`` is the command that did.
    """

    more: tuple[str, ...] = ()
    at: str = ""
    about: str = ""
    tests: tuple[str, ...] = ()
    resolved: str = ""
    narrower: str = ""

    @property
    def reason(self) -> str:
        """All that tells why, in one line."""
        return " | ".join((self.text, *self.more))


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """The facts extracted from one segment.

    ``requests`` are words of people, ``final`` the assistant's last words. ``at`` and ``until`` are seconds since 1970
    of its first and last message. ``names`` are files, functions, flags, ids and the like. ``query``, ``intent``,
    ``response`` and ``gist`` come from the model's notes on its turn: the request in a few words, what it took that to
    mean, the reply in a few words, and what it comes to. So do ``changes``, to files that no action shows as changed.
    ``replied_to`` is what the assistant had asked in the segment before; ``questions`` are those that nobody has
    replied to.
    """

    id: str
    at: float | None = None
    until: float | None = None
    tokens: int = 0
    outcome: Outcome = Outcome.ONGOING
    requests: tuple[Fact, ...] = ()
    decisions: tuple[Fact, ...] = ()
    files: tuple[FileUsage, ...] = ()
    commands: tuple[CommandRun, ...] = ()
    failures: tuple[Failure, ...] = ()
    names: tuple[Fact, ...] = ()
    questions: tuple[Fact, ...] = ()
    final: Fact | None = None
    query: Fact | None = None
    intent: Fact | None = None
    response: Fact | None = None
    gist: Fact | None = None
    changes: tuple[Fact, ...] = ()
    replied_to: Fact | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the messages that the facts come from, in order of message."""
        kinds = (self.requests, self.decisions, self.files, self.commands, self.failures, self.names)
        facts = [fact for kind in (*kinds, self.questions, self.changes) for fact in kind]
        single = (self.final, self.query, self.intent, self.response, self.gist, *(file.what for file in self.files))
        return _in_order({fact.source for fact in (*facts, *single) if fact})


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The smallest size of a segment: ``line`` is its text.
    The header of an era covers all segments that ``id`` spans.
    """

    id: str
    line: str
    at: float | None = None
    topic: str = ""
    entities: tuple[str, ...] = ()
    outcome: Outcome = Outcome.ONGOING
    tokens: int = 0
    segments: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The middle size of a segment: ``text`` is what people asked and the agent reported, in their words and within a
    limit; ``id`` leads to the whole. The lists are those of its digest."""

    id: str
    text: str
    decisions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trio:
    """A segment at three sizes. The third, full size is not stored here: it is read from the ledger by its id."""

    header: Header
    summary: Summary

    @property
    def full(self) -> str:
        """The id under which the whole segment is read."""
        return self.summary.id
