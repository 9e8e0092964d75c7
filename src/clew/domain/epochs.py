"""Epochs, inputs as they were sent, and what was retrieved for them. They are stored in the ledger and replayed byte
for byte.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from clew.domain.compactions import ClippedMessage, Trigger
from clew.domain.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionReport:
    """A section of a pack as reports list it: its size, and the ids it was made from."""

    name: str
    layer: int
    tokens: int
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """A period in which one stream's prompt prefix does not change. A compaction starts the next one.

    ``stream`` names a target and a budget; each stream numbers its own epochs. The epoch started when the session had
    ``started_at`` messages. Messages from number ``tail_start`` on follow the ``snapshot``; ``forms`` are the shorter
    texts chosen for their outputs, by id of the whole, and ``texts`` what stands for parts of messages that are larger
    than their room, by message and by id of the whole; ``clipped`` says how much of these is shown. ``kept`` are ranges
    of older messages that are also sent word for word. The prompt shrank from ``tokens_before`` to ``tokens_after``;
    ``rung`` says how the summary was made. Tokens are those of ``model``, with the ``ratio`` that its replies had shown
    when the epoch started; 0 is its usual one. ``system`` is the system prompt that Clew put together for it; where it
    is empty, the caller's own is sent as it was last recorded. ``modules`` are knowledge modules that stand behind it.
    ``feedback`` is what was known of the use of retrieved units when it started, by id: they are ranked by that.
    ``layout`` are the templates that its prompts are laid out with, by name, where they are not the bundled ones.
    ``told_from`` is the first message of the loop of calls in which it started, if its steps are told as text.
    """

    stream: str = field(metadata={"key": "line"})
    number: int
    started_at: int = field(default=0, metadata={"key": "at"})
    tail_start: int = field(default=1, metadata={"key": "cut"})
    snapshot: str = ""
    sections: tuple[SectionReport, ...] = ()
    forms: dict[str, str] = field(default_factory=dict)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    clipped: tuple[ClippedMessage, ...] = ()
    kept: tuple[tuple[int, int], ...] = ()
    trigger: Trigger = field(default=Trigger.FIRST, metadata={"key": "why"})
    strategy: str = ""
    rung: str = ""
    tokens_before: int = field(default=0, metadata={"key": "before"})
    tokens_after: int = field(default=0, metadata={"key": "after"})
    model: str = ""
    ratio: float = 0.0
    system: str = ""
    modules: str = ""
    feedback: dict[str, UnitUse] = field(default_factory=dict)
    layout: dict[str, str] = field(default_factory=dict)
    told_from: int = 0

    @property
    def is_whole(self) -> bool:
        """True where nothing was compacted: messages are sent in the forms in which they were recorded."""
        return not self.snapshot and self.trigger in {Trigger.FIRST, Trigger.CHANGED}

    @property
    def first(self) -> int:
        """Number of the first message that is sent word for word."""
        return min((first for first, _ in self.kept), default=self.tail_start)

    def sends(self, place: int) -> bool:
        """Returns True for a message that is sent word for word."""
        if place >= self.tail_start or not self.kept:
            return place >= self.tail_start
        return any(first <= place <= last for first, last in self.kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentInput:
    """The input of one turn as it was sent on a stream, when the session had ``after`` messages.

    ``input`` are the messages of the input itself, and ``clipped`` what was sent of one that was larger than its room.
    ``injected`` are messages that Clew added: before a person's words, but after a tool's output, which has to follow
    its call directly. ``reminders`` are pairs of an item and the lapse it reminds of; ``pinned`` are items stated here
    because nothing else in the prompt states them, ``withdrawn`` those of which it is said here that they no longer
    hold. ``knowledge`` are the chunks of modules that it brought in. ``retrieved`` says where in the injected messages
    each unit stands that was found by the query or asked for.
    """

    stream: str
    after: int
    input: tuple[Message, ...] = ()
    clipped: tuple[Message, ...] = ()
    injected: tuple[Message, ...] = ()
    reminders: tuple[tuple[str, str], ...] = ()
    pinned: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    retrieved: tuple[RetrievedSpan, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        """Input and injected messages in the order in which they are sent."""
        return in_sending_order(self.clipped or self.input, self.injected)

    @property
    def brought_in(self) -> tuple[Message, ...]:
        """The injected messages that knowledge and retrieved parts stand in: all but reminders and critical items,
        which have a message each and come last.
        """
        return self.injected[: len(self.injected) - bool(self.reminders) - bool(self.pinned or self.withdrawn)]

    def without_brought_in(self) -> SentInput:
        """Returns the input as prompts of later turns have it, where only its own turn had use for the rest."""
        stays = self.injected[len(self.brought_in) :]
        return replace(self, injected=stays, knowledge=(), retrieved=())


def in_sending_order(input: tuple[Message, ...], injected: tuple[Message, ...]) -> tuple[Message, ...]:
    """Puts an input and what was injected for it into the order in which they are sent."""
    return (*input, *injected) if any(message.outputs for message in input) else (*injected, *input)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedSpan:
    """Where a retrieved unit stands: in which injected message, counted from 0, and from which character to which.

    ``id`` names a message, a segment, a blob or a chunk. ``asked`` says that the model asked for it by id, so that no
    ranking chose it.
    """

    id: str
    at: int
    start: int
    end: int
    asked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievedUnit:
    """A unit as it was handed out. ``ranked`` is the message or chunk that stands for it in a ranking: of a segment the
    best message; empty where nothing does. ``asked`` says that no ranking chose it: somebody asked for it by id.
    """

    id: str
    text: str
    ranked: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class UnitUse:
    """How often a unit was used and ignored by replies, and the factor by which that moves its score."""

    used: int = 0
    ignored: int = 0
    factor: float = 1.0
