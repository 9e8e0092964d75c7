"""What a pack reports about itself: what it leaves out and why, and the hash of its bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from clew.domain import Segment
from clew.domain.ids import message_id


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not sent word for word: its id, what stands for it, its tokens, and why."""

    id: str
    shown_as: str
    tokens: int
    reason: str


def content_hash(data: bytes) -> str:
    """Returns a hash with the name of its algorithm."""
    return "sha256:" + sha256(data).hexdigest()


def omitted_segments(
    segments: Sequence[tuple[Segment, str]], sends: Callable[[int], bool], shown: set[str]
) -> tuple[Omission, ...]:
    """Returns every segment that is not sent whole, with what stands for it.

    ``sends`` says whether a message is sent word for word;
    ``shown`` has the ids that the snapshot's sections came from.
    """
    out = []
    for segment, id in segments:
        if sends(segment.first) and sends(segment.last):
            continue
        lines = any(message_id(number) in shown for number in range(segment.first, segment.last + 1))
        as_what, why = ("lines", "shortened to fit the budget") if lines else ("header", "older than what fits")
        out.append(Omission(id, as_what, segment.tokens, "rolled back" if segment.rolled_back else why))
    return tuple(out)
