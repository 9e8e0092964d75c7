"""The repair rule as a value, and helpers that change a message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from clew.domain import Message, Part, Repair

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class RepairRule:
    """One repair rule.
    ``repair`` returns a history in which it holds; ``safe_cuts`` says where a history may be cut.
    """

    repair: Callable[[Messages, list[Repair]], Messages]
    safe_cuts: Callable[[Messages], frozenset[int]]


def with_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """Returns the message with other parts and without its wire form, which no longer matches."""
    return replace(message, parts=parts, wire=None)


def message_label(message: Message) -> str:
    """Returns how a repair names a message: by its id, or by its role before it has one."""
    return message.id or message.role


def cuts_anywhere(messages: Messages) -> frozenset[int]:
    """Returns every index, for rules that look at one message at a time."""
    return frozenset(range(len(messages) + 1))
