"""Digests: what was drawn from a segment, at which sizes it is told, and the story that all of them make.

Every fact quotes its message (trimmed, blanks joined) and names it; nothing here is anybody's prose but theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from clew.domain.messages import Origin


def _in_order(ids: set[str]) -> tuple[str, ...]:
    """m2 before m10."""
    return tuple(sorted(ids, key=lambda one: (len(one), one)))


class Outcome(StrEnum):
    """How a segment ended: the assistant had the last word, work goes on, or a failure stands."""

    COMPLETED = "completed"
    ONGOING = "ongoing"
    ERROR = "error"


class Use(StrEnum):
    """What was done with a file; later ones tell more of it than earlier ones."""

    READ = "read"
    CHANGED = "changed"
    CREATED = "created"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Words of a message, the message's id, and whose words they are."""

    text: str
    source: str
    by: Origin = Origin.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched(Fact):
    """A file: ``text`` is its path, ``lines`` the ranges that were read or changed, ``names`` what stands there.

    ``what`` is what the model says it changed there.
    """

    use: Use = Use.READ
    lines: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    what: Fact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran(Fact):
    """A command: ``ok`` is None while its result is unknown, ``result`` the line of its output that tells most."""

    ok: bool | None = None
    status: int | None = None
    result: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure(Fact):
    """An error: ``text`` is its message, ``at`` file and line, ``about`` the command or path that failed.

    ``resolved`` is the id of the message whose step succeeded where this one had failed; empty while open.
    """

    at: str = ""
    about: str = ""
    resolved: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """What was drawn from one segment.

    ``requests`` are the words of people, ``final`` the assistant's last. ``at`` and ``until`` are seconds
    since 1970 of its first and last message. ``names`` are files, functions, flags, ids and the like.

    The last four are what the model noted of its turn, if it did: the request in a few words, what it took it to
    mean, the reply in a few words, and what it comes to.
    """

    id: str
    at: float | None = None
    until: float | None = None
    tokens: int = 0
    outcome: Outcome = Outcome.ONGOING
    requests: tuple[Fact, ...] = ()
    decisions: tuple[Fact, ...] = ()
    files: tuple[Touched, ...] = ()
    commands: tuple[Ran, ...] = ()
    failures: tuple[Failure, ...] = ()
    names: tuple[Fact, ...] = ()
    questions: tuple[Fact, ...] = ()
    todos: tuple[Fact, ...] = ()
    done: tuple[Fact, ...] = ()
    final: Fact | None = None
    query: Fact | None = None
    intent: Fact | None = None
    response: Fact | None = None
    gist: Fact | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the messages that its facts come from, in order of message."""
        kinds = (self.requests, self.decisions, self.files, self.commands, self.failures, self.names)
        facts = [fact for kind in (*kinds, self.questions, self.todos, self.done) for fact in kind]
        single = (self.final, self.query, self.intent, self.response, self.gist, *(file.what for file in self.files))
        return _in_order({fact.source for fact in (*facts, *single) if fact})


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The smallest size: ``line`` is its text. An era's header stands for the segments ``id`` spans."""

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
    """The middle size; ``text`` says all of the rest within its cap. ``retrievable``: ``id`` leads to the whole."""

    id: str
    text: str
    content: str = ""
    decisions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    retrievable: bool = True


@dataclass(frozen=True, slots=True)
class Trio:
    """A segment at three sizes; the third is the segment itself, read from the ledger by its id."""

    header: Header
    summary: Summary

    @property
    def full(self) -> str:
        """The id under which the whole is read."""
        return self.summary.id


@dataclass(frozen=True, slots=True)
class Focus:
    """Something the work is about at present; ``weight`` falls with every segment that does not touch it."""

    name: str
    source: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Where the session stands: facts only, no narration; a model may write the ``narrative``.

    ``objective`` is the goal in the user's words, ``asked`` what was asked last in its pursuit, ``intent`` what the
    model says it took that to mean. ``position`` is the last segment told, ``updated`` its time, ``earlier`` how many
    requests were condensed away.
    """

    objective: Fact | None = None
    asked: Fact | None = None
    intent: Fact | None = None
    state: Outcome = Outcome.ONGOING
    last: Fact | None = None
    achievements: tuple[Fact, ...] = ()
    earlier: int = 0
    decisions: tuple[Fact, ...] = ()
    files: tuple[Focus, ...] = ()
    functions: tuple[Focus, ...] = ()
    concepts: tuple[Focus, ...] = ()
    failure: Failure | None = None
    next_steps: tuple[Fact, ...] = ()
    narrative: str = ""
    position: str = ""
    updated: float | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """Ids of the messages that what it says comes from, in order of message."""
        single = (self.objective, self.asked, self.intent, self.last, self.failure)
        facts = [*(fact for fact in single if fact), *self.achievements, *self.decisions, *self.next_steps]
        focus = (*self.files, *self.functions, *self.concepts)
        return _in_order({fact.source for fact in facts} | {one.source for one in focus})
