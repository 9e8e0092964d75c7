"""A turn, with everything a prompt needs beside the history, and the prompt that was built from it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from clew.domain import (
    ClippedMessage,
    CriticalItem,
    Epoch,
    Json,
    Message,
    Origin,
    Repair,
    RetrievedSpan,
    Role,
    SectionReport,
    SentInput,
    Text,
    Tool,
    in_sending_order,
)
from clew.knowledge.layout import Layout, layout
from clew.packing.allocation import Budget
from clew.packing.inputs import Input, InputKind

#: Fields of a turn that say what is injected.
_OF_INJECTIONS = ("injected", "sections", "reminders", "pinned", "withdrawn", "knowledge", "retrieved", "unfit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: the caller's system prompt and tools, the input, and the messages that Clew injects beside it.

    ``injected`` are described by ``sections``: retrieved parts, ``reminders`` (pairs of an item and the lapse it
    reminds of), items ``pinned`` because nothing else states them, and items ``withdrawn``, of which it is said that
    they no longer hold. ``knowledge`` are the chunks of modules among them, ``retrieved`` says where units stand that a
    query found or the model asked for, and ``unfit`` are required modules without room, each with what it would have
    taken. ``full_texts`` are texts that the input shortens. Of an input that is larger than its room,
    ``input_messages`` are a part, or of one that is put into a template, the whole in it; ``whole_input`` is the input
    as it was given. ``composed`` is the system prompt that Clew put together, if ``system`` holds that instead of the
    caller's own; ``modules`` are knowledge modules at the end of it, ``layout`` the templates of the prompt, and
    ``starts_epoch`` says that all this was made for an epoch that begins. ``instructions`` tell the model how to write
    notes and requests in its reply; they follow the system prompt of this turn, and are no part of the epoch.
    ``thinking`` is the mode in which the request will be answered, and ``model`` the model that is asked, empty where
    nobody says; ``sent_whole`` says that outputs are sent whole until they are compacted.
    """

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    budget: Budget
    input: Input | None
    input_messages: tuple[Message, ...] = ()
    injected: tuple[Message, ...] = ()
    sections: tuple[SectionReport, ...] = ()
    reminders: tuple[tuple[str, str], ...] = ()
    pinned: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    retrieved: tuple[RetrievedSpan, ...] = ()
    unfit: tuple[tuple[str, int], ...] = ()
    full_texts: tuple[str, ...] = ()
    whole_input: tuple[Message, ...] = ()
    composed: str = ""
    modules: str = ""
    layout: Layout = field(default_factory=layout)
    starts_epoch: bool = False
    instructions: str = ""
    thinking: str = ""
    model: str = ""
    sent_whole: bool = False

    @property
    def answers_call(self) -> bool:
        """True for a tool's response, which is sent right behind the call that it answers."""
        return self.input is not None and self.input.kind is InputKind.TOOL_RESPONSE

    @property
    def query(self) -> str:
        """The words that something is looked up for: a person's. Tool responses influence nothing that is retrieved."""
        return self.input.text if self.input is not None and not self.answers_call else ""

    @property
    def recorded_input(self) -> tuple[Message, ...]:
        """The input as it was given."""
        return self.whole_input or self.input_messages

    @property
    def messages(self) -> tuple[Message, ...]:
        """Input and injected messages in the order in which they are sent."""
        return in_sending_order(self.input_messages, self.injected)

    def with_system(self, text: str) -> Turn:
        """Returns the turn with the system prompt that Clew put together, and the instructions behind it; with none,
        the caller's stays as it is, and the instructions follow it.
        """
        if text or not self.system:
            system = "\n\n".join(filter(None, (text, self.instructions)))
            return replace(self, system=system_messages(system), composed=text, modules="") if system else self
        told_already = self.composed or not self.instructions
        instructions = () if told_already else system_messages(self.instructions)
        if not instructions or instructions[0] in self.system:
            return self
        modules = self.system[-1:] if self.modules else ()
        own = self.system[: len(self.system) - len(modules)]
        return replace(self, system=(*own, *instructions, *modules))

    def with_modules(self, text: str) -> Turn:
        """Returns the turn with these knowledge modules behind its system prompt, which stays as it is."""
        if text == self.modules:
            return self
        own = self.system[:-1] if self.modules else self.system
        return replace(self, system=(*own, *(system_messages(text) if text else ())), modules=text)

    def with_layout(self, layout: Layout) -> Turn:
        """Returns the turn with the templates that its prompt is laid out with; a person's words are put into theirs.
        What was sent of the input before stays as it was.
        """
        turn, whole = replace(self, layout=layout), self.input_messages
        if self.whole_input or self.input is None or self.answers_call:
            return turn
        laid_out = tuple(_laid_out(message, layout, str(self.input.kind)) for message in whole)
        return turn if laid_out == whole else replace(turn, input_messages=laid_out, whole_input=whole)

    def without_injections(self) -> Turn:
        """Returns the turn without injected messages, for a new epoch that injects its own."""
        none: dict[str, Any] = dict.fromkeys(_OF_INJECTIONS, ())
        return replace(self, **none)

    def with_sent(self, sent: SentInput) -> Turn:
        """Returns the turn with what was injected when the same input was sent before."""
        return replace(
            self,
            injected=sent.injected,
            reminders=sent.reminders,
            pinned=sent.pinned,
            withdrawn=sent.withdrawn,
            knowledge=sent.knowledge,
            retrieved=sent.retrieved,
        )

    def states(self, stated: Collection[str]) -> set[str]:
        """Returns the critical items that the prompt states with this turn, if it states ``stated`` before it."""
        return {*stated, *self.pinned} - {*self.withdrawn}


def _laid_out(message: Message, layout: Layout, kind: str) -> Message:
    """A message of an input with a person's words in their template."""
    if message.origin is not Origin.PERSON:
        return message
    parts = (
        replace(part, text=layout.words(part.text, kind=kind)) if isinstance(part, Text) else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


@lru_cache(maxsize=8)
def system_messages(text: str) -> tuple[Message, ...]:
    """Returns a system prompt as messages, the same ones for the same text: they are counted once."""
    return (Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text=text),)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltPrompt:
    """A prompt in its target's shape, and the epoch it belongs to.

    ``tail`` are the messages sent word for word, with the snapshot at their head unless the target is text. Where the
    epoch tells steps as text, ``sent_tail`` and ``sent_turn`` have that text in their place. ``settled`` is the tail
    made valid: what the next prompt begins with. ``bare_loop`` is the number of the reply that opens the loop of calls
    under way, if it is sent without thinking at its head; ``has_lost_thinking`` says that it had some when it was
    recorded. ``full_texts`` are texts that the epoch shortens; they are
    stored before a prompt that refers to them is sent. ``unstated`` are critical items that had no room, ``clipped``
    messages of which only a part is sent; ``counted`` says how the tokens were counted.
    """

    body: Json | str
    tokens: int
    epoch: Epoch
    turn: Turn
    tail: tuple[Message, ...]
    sent_tail: tuple[Message, ...]
    sent_turn: Turn
    bare_loop: int = 0
    has_lost_thinking: bool = False
    settled: tuple[Message, ...] = ()
    sections: tuple[SectionReport, ...]
    repairs: tuple[Repair, ...] = ()
    clipped: tuple[ClippedMessage, ...] = ()
    full_texts: tuple[str, ...] = ()
    unstated: tuple[CriticalItem, ...] = ()
    counted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSizes:
    """What a prompt is made of, in tokens: system prompt and tools, the snapshot, and messages by id."""

    system: int
    snapshot: int
    messages: dict[str, int]
