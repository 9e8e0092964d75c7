"""Ids of messages, exchanges, segments, blobs, pins and chunks. They are written and parsed here and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, order=True)
class MessageId:
    """Names a message: m12 is its newest version, m12@1 its first."""

    number: int
    version: int = 0

    def __str__(self) -> str:
        return f"m{self.number}@{self.version}" if self.version else f"m{self.number}"


@dataclass(frozen=True, slots=True, order=True)
class SegmentId:
    """Names an exchange (x7) or a segment of it (x7.2)."""

    exchange: int
    part: int = 0

    def __str__(self) -> str:
        return f"x{self.exchange}.{self.part}" if self.part else f"x{self.exchange}"


@dataclass(frozen=True, slots=True, order=True)
class SpanId:
    """Names a run of exchanges or segments, both ends included: x3–x9."""

    first: SegmentId
    last: SegmentId

    def __str__(self) -> str:
        return f"{self.first}–{self.last}"


@dataclass(frozen=True, slots=True, order=True)
class BlobId:
    """Names a blob: b and the first digits of the SHA-256 of its content, twelve or more."""

    digits: str

    def __str__(self) -> str:
        return f"b{self.digits}"


@dataclass(frozen=True, slots=True, order=True)
class PinId:
    """Names a critical item: p3."""

    number: int

    def __str__(self) -> str:
        return f"p{self.number}"


@dataclass(frozen=True, slots=True, order=True)
class ChunkId:
    """Names a chunk of a knowledge module: deploy#3. deploy#0 is the whole module."""

    module: str
    number: int

    def __str__(self) -> str:
        return f"{self.module}#{self.number}"


PartId = MessageId | SegmentId | SpanId | BlobId | PinId | ChunkId

_MESSAGE = re.compile(r"m([0-9]{1,9})(?:@([0-9]{1,4}))?")
_SEGMENT = re.compile(r"x([0-9]{1,7})(?:\.([0-9]{1,5}))?")
_SPAN = re.compile(r"(x[0-9.]{1,13})[–-](x[0-9.]{1,13})")
_MESSAGES = re.compile(r"m([0-9]{1,9})[–-]m([0-9]{1,9})")
_BLOB = re.compile(r"b([0-9a-f]{12,64})")
_PIN = re.compile(r"p([0-9]{1,6})")
_CHUNK = re.compile(r"([A-Za-z0-9][A-Za-z0-9._/-]{0,119})#([0-9]{1,6})")


def parse_id(text: str) -> PartId | None:
    """Parses an id of any kind. Returns None for a text that is no id."""
    if match := _MESSAGE.fullmatch(text):
        return MessageId(int(match[1]), int(match[2] or 0))
    if match := _BLOB.fullmatch(text):
        return BlobId(match[1])
    if match := _PIN.fullmatch(text):
        return PinId(int(match[1]))
    if match := _CHUNK.fullmatch(text):
        return ChunkId(match[1], int(match[2]))
    return parse_segment(text) or _parse_span(text)


def parse_segment(text: str) -> SegmentId | None:
    """Parses the id of an exchange or a segment. Returns None for any other text."""
    match = _SEGMENT.fullmatch(text)
    return SegmentId(int(match[1]), int(match[2] or 0)) if match else None


def _parse_span(text: str) -> SpanId | None:
    match = _SPAN.fullmatch(text)
    first, last = (parse_segment(match[1]), parse_segment(match[2])) if match else (None, None)
    return SpanId(first, last) if first and last else None


def parse_message_span(text: str) -> tuple[int, int] | None:
    """Parses a run of messages, as outlines name them: m4–m11. Returns None for any other text."""
    match = _MESSAGES.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else None


def message_id(number: int) -> str:
    """Returns the id of the message with this number."""
    return f"m{number}"


@lru_cache(1 << 15)  # whoever walks through messages asks for it
def message_number(id: str) -> int:
    """Returns the number in a message's id; 0 for every other text, so that any source may be passed."""
    return int(id[1:]) if id[:1] == "m" and id[1:].isdecimal() else 0


def pin_number(id: str) -> int:
    """Returns the number in the id of a critical item; 0 for every other text."""
    return int(id[1:]) if id[:1] == "p" and id[1:].isdecimal() else 0


def message_ranges(numbers: Iterable[int]) -> str:
    """Returns ids of messages with runs drawn together: m3–m7, m9."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"m{first}" if first == last else f"m{first}–m{last}" for first, last in runs)
