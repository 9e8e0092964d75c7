"""Messages: a role and its parts, with what is known of their origin; and the tools that a caller offers."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import isfinite
from typing import TypeVar

from clew.domain.checks import check_text_or_none, checked_items, checked_word, describe_value
from clew.domain.ids import message_number
from clew.domain.parts import Call, Json, Output, Part, Text, Wire, texts
from clew.errors import UsageError


class Role(StrEnum):
    """Role of a message, as providers name them."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Origin(StrEnum):
    """Who wrote the words of a message. Only words of a person can become critical by themselves."""

    PERSON = "person"
    MODEL = "model"
    TOOL = "tool"
    REPORTED = "reported"  # a model says that a person said it, or a tool gave it: over MCP nobody else speaks
    CLIENT = "client"  # injected by the assistant: reminders, wrappers, echoes of commands
    SUMMARY = "summary"  # the assistant's own summary of what it compacted away
    SYSTEM = "system"  # the caller's system prompt
    CLEW = "clew"  # made here: a stand-in for an output that never came


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the provider reported them. ``input_tokens`` includes what its cache served, and
    ``cache_write_tokens`` what was written to one that lasts an hour, which costs more.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cache_write_1h_tokens: int = 0


P = TypeVar("P", bound=Part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message, as a value. ``id`` (m1, m2, …) is given when it is recorded and is empty before.

    ``thread`` names a subagent's conversation and is empty for the main one. ``wire`` is the whole message as a
    provider's API has it, when it came in one piece. ``at`` is seconds since 1970, UTC. ``interrupted`` marks a
    reply whose stream broke off; ``stop_reason`` is why the model stopped, in the provider's word.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    origin: Origin = Origin.PERSON
    id: str = ""
    at: float | None = None
    model: str | None = None
    usage: Usage | None = None
    thread: str = ""
    wire: Wire | None = None
    interrupted: bool = False
    stop_reason: str | None = None

    def __post_init__(self) -> None:
        if type(self.role) is not Role or type(self.origin) is not Origin:
            object.__setattr__(self, "role", checked_word(Role, self.role, "the role of a message"))
            object.__setattr__(self, "origin", checked_word(Origin, self.origin, "the origin of a message"))
        parts = checked_items(self.parts, Part, "the parts of a message are clew.parts: parts=(Text(text=…),)")
        if parts is not self.parts:
            object.__setattr__(self, "parts", parts)
        if not (isinstance(self.id, str) and isinstance(self.thread, str)):
            raise UsageError(
                f"id and thread of a message are texts, not {describe_value(self.id)} and {describe_value(self.thread)}"
            )
        check_text_or_none(self.model, "the model of a message")
        check_text_or_none(self.stop_reason, "the stop_reason of a message")
        if self.at is not None and not (isinstance(self.at, int | float) and isfinite(self.at)):
            raise UsageError(f"a message is at a number of seconds since 1970, not {describe_value(self.at)}")

    @property
    def number(self) -> int:
        """The number in its id; 0 before it is recorded."""
        return message_number(self.id)

    @property
    def text(self) -> str:
        """All text parts, joined by newlines."""
        return "\n".join(texts(self.parts))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls, in order."""
        return self.parts_of(Call)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The tool outputs, in order."""
        return self.parts_of(Output)

    def parts_of(self, kind: type[P]) -> tuple[P, ...]:
        """Returns the parts of one type, in order."""
        return tuple([part for part in self.parts if isinstance(part, kind)])  # a list: it is asked for all the time


def user(*parts: str | Part) -> Message:
    """Returns a message of a person: texts, media and other parts, in order. Outputs alone are the tools' message."""
    made = _as_parts(parts)
    is_tool = bool(made) and all(isinstance(part, Output) for part in made)
    role, origin = (Role.TOOL, Origin.TOOL) if is_tool else (Role.USER, Origin.PERSON)
    return Message(role=role, origin=origin, parts=made)


def assistant(*parts: str | Part) -> Message:
    """Returns a message of the model: texts, calls, reasoning and other parts, in order."""
    return Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=_as_parts(parts))


def _as_parts(parts: tuple[str | Part, ...]) -> tuple[Part, ...]:
    for part in parts:
        if not isinstance(part, str | Part):
            raise UsageError(f"a message is made of texts and clew.parts, not of {describe_value(part)}")
    return tuple(Text(text=part) if isinstance(part, str) else part for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Definition of a tool. ``schema`` is the JSON Schema of its arguments; tools that the provider runs have none."""

    name: str
    description: str = ""
    schema: Json = field(default_factory=dict)
    wire: Wire | None = None
