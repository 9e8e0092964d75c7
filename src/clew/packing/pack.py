"""Where an epoch is cut, what stands before the cut, and what is told of everything that is not word for word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from clew.domain import Message, Origin, Role, Segment, Text
from clew.history.normalise import safe_cuts
from clew.packing.formats import FORMATS, Section, written
from clew.packing.snapshot import Count, Told, snapshot

#: The newest messages may take this share of the room word for word.
TAIL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A segment that is not sent word for word: what stands for it, what it holds, and why."""

    id: str
    shown_as: str
    tokens: int
    reason: str


def digest_of(data: bytes) -> str:
    return "sha256:" + sha256(data).hexdigest()


def first_whole(messages: Sequence[Message], size: Callable[[Message], int], room: int) -> int:
    """The earliest safe cut after which everything fits word for word; the end when not even the last step does."""
    best, total, at = len(messages), 0, len(messages)
    for cut in reversed(safe_cuts(messages)):
        total += sum(map(size, messages[cut:at]))
        at = cut
        if total > room:
            break
        best = cut
    return best


def last_step(messages: Sequence[Message]) -> int:
    """The index at which the newest step begins: the last place where a history may be cut, but its end."""
    return next((cut for cut in reversed(safe_cuts(messages)) if cut < len(messages)), 0)


def snapshot_for(
    messages: Sequence[Message], told: Told, *, room: int, count: Count, target: str
) -> tuple[tuple[Section, ...], str]:
    """Sections that tell of these messages within the room, and their text."""
    sections = snapshot(messages, told, budget=room, count=count, format=FORMATS[target])
    return sections, written(sections, FORMATS[target])


def headed(tail: Sequence[Message], text: str, *, joins: bool) -> tuple[Message, ...]:
    """The snapshot at the head of the first user message: of the tail's where it ``joins``, else one of its own."""
    if not text:
        return tuple(tail)
    part = Text(text=text)
    if joins and tail and tail[0].role is Role.USER and not tail[0].outputs:
        return (replace(tail[0], parts=(part, *tail[0].parts), wire=None), *tail[1:])
    return (Message(role=Role.USER, origin=Origin.CLEW, parts=(part,)), *tail)


def left_out(
    segments: Sequence[tuple[Segment, str]], sends: Callable[[int], bool], shown: set[str]
) -> tuple[LeftOut, ...]:
    """Every segment that is not sent whole, with what stands for it."""
    out = []
    for segment, id in segments:
        if sends(segment.first) and sends(segment.last):
            continue
        lines = any(f"m{number}" in shown for number in range(segment.first, segment.last + 1))
        as_what, why = ("lines", "shortened to fit the budget") if lines else ("header", "older than what fits")
        out.append(LeftOut(id, as_what, segment.tokens, "rolled back" if segment.left else why))
    return tuple(out)
