"""Alignment: where a caller's list of messages goes on from what a session has.

Messages are compared part by part, as marks that are equal for parts that mean the same. Reasoning does not count:
many callers leave it out when they send a reply back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from clew.codecs import jsonio, registry
from clew.domain import Message, Reasoning, Role, Text
from clew.engine.ingest.decode import decode_messages
from clew.engine.ledger.records import DecodedRecord
from clew.history.part_identity import identities
from clew.text.secrets import mask_strings

#: Parts before the newest one that must match too, so that a word said twice is not taken for its first time.
_CONTEXT = 6
#: With fewer matching parts than these, two lists have a greeting in common and no more.
_LEAST = 2


class GivenMessages:
    """A caller's messages, of a provider or a framework. Each is decoded when it is first looked at."""

    def __init__(self, messages: Sequence[Any], format: str, *, masked: bool = False) -> None:
        """``masked`` says that the session keeps messages without the secrets in them."""
        self.messages, self.format, self._masked = messages, format, masked
        self._decoded: dict[int, list[Message]] = {}

    def __len__(self) -> int:
        return len(self.messages)

    def at(self, place: int) -> list[Message]:
        """Returns what stands at a place, as messages of ours, without system prompts."""
        if place not in self._decoded:
            decoded = decode_messages([self.messages[place]], self.format)
            found = [_without_secrets(one) if self._masked else one.record.message for one in decoded]
            self._decoded[place] = [one for one in found if one and one.role is not Role.SYSTEM]
        return self._decoded[place]

    def marks(self, place: int) -> list[bytes]:
        """Returns the marks of what stands at a place."""
        return part_marks(self.at(place))

    def reply(self, place: int) -> Message | None:
        """Returns the message of the assistant at a place; None where another stands there, or none."""
        found = self.at(place) if place < len(self) else []
        return found[0] if len(found) == 1 and found[0].role is Role.ASSISTANT else None

    def backwards(self, end: int) -> Iterator[bytes]:
        """Yields marks from before ``end`` to the first."""
        for at in reversed(range(end)):
            yield from reversed(self.marks(at))


def _without_secrets(one: DecodedRecord) -> Message | None:
    body = jsonio.dumps_exact(mask_strings(jsonio.loads_exact(one.body), names=True))
    return registry.codec(one.format).read(body).message


def part_marks(messages: Iterable[Message]) -> list[bytes]:
    """Returns the marks of messages, in order; none for reasoning and empty texts."""
    return [mark for message in messages for mark in identities(_compared(message))]


def _compared(message: Message) -> Message:
    parts = (part for part in message.parts if not isinstance(part, Reasoning))
    return replace(message, parts=tuple(part for part in parts if not isinstance(part, Text) or part.text.strip()))


def first_new(given: GivenMessages, known: Sequence[bytes]) -> int | None:
    """Returns the place of the first given message that comes after what is known; None where the newest known part
    is not among them. ``known`` are the marks that the session ends with.
    """
    if not known:
        return 0
    best = _Match(0, 0)
    for end in range(len(given), 0, -1):
        if given.marks(end - 1)[-1:] != [known[-1]]:
            continue
        count, is_whole = _matching(given.backwards(end), known)
        if is_whole:
            return end
        best = max(best, _Match(count, end))
    return best.end if best.count >= _LEAST else None


@dataclass(frozen=True, order=True, slots=True)
class _Match:
    count: int
    end: int


def _matching(given: Iterator[bytes], known: Sequence[bytes]) -> tuple[int, bool]:
    """How many of the newest known marks are given, and whether all that can be compared are."""
    count = 0
    for mark in reversed(known[-_CONTEXT:]):
        found = next(given, None)
        if found is None:
            return count, True
        if found != mark:
            return count, False
        count += 1
    return count, True


def common_parts(given: GivenMessages, known: Sequence[bytes]) -> int:
    """Counts the parts that both begin with."""
    count = 0
    for at in range(len(given)):
        for mark in given.marks(at):
            if count == len(known) or known[count] != mark:
                return count
            count += 1
    return count


def is_same_conversation(shared: int, known: Sequence[bytes], *, exchanges: int) -> bool:
    """Returns True where a list that shares its first parts with the session goes back in it, rather than starts anew
    with the same greeting.
    """
    return bool(known) and (shared >= _LEAST or (shared == 1 and exchanges == 1))
