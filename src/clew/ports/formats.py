"""Formats in and out: what codecs, encoders and writers of session files do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from clew.domain import (
    Json,
    Loss,
    Message,
    Record,
    SkippedRecord,
    Tool,
)


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One wire record as it stands in a file.

    ``line`` counts from 1, or is 0 where there are no lines. ``end`` is the offset just after the record. ``session``
    is set by files that hold several conversations, ``format`` by files that hold records of another format than their
    own. ``repeats`` is the key of a record that said the same before: where that one is known, so is this one.
    """

    body: bytes
    line: int = 0
    end: int = 0
    session: str = ""
    format: str = ""
    repeats: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A request in a provider's format. ``losses`` lists what that format could not express and was left out."""

    body: Json
    losses: tuple[Loss, ...] = ()


class Codec(Protocol):
    """Reads one format: splits a file into wire records, and decodes one wire record into a domain record.

    ``read`` depends on nothing but the record it is given, so that the ledger can keep wire records as they came and
    decode them at any time.
    """

    name: str

    def sniff(self, head: bytes) -> bool:
        """Returns True when a file that starts with these bytes looks like this format. Only the content is judged."""

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        """Yields wire records in order, in constant memory. Anything else in the file is yielded as a SkippedRecord."""

    def read(self, body: bytes) -> Record:
        """Decodes one wire record. Raises ValueError for a record that it cannot read."""


class Encoder(Protocol):
    """Writes one format. Messages that came in this format come out as they came in."""

    name: str

    def encode(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Request:
        """Encodes messages and tool definitions as the provider's request, with a list of losses."""

    def system_body(self, system: Any) -> bytes:
        """Returns the wire record of a system prompt that is handed over beside the messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHead:
    """What a session file says beside the messages. ``id`` is a UUID, ``at`` when the session began, and ``version``
    that of the program which wrote it. ``instructions`` is a system prompt of the client's own.
    """

    id: str
    at: float
    cwd: str
    version: str
    title: str = ""
    instructions: str = ""


class SessionWriter(Protocol):
    """Writes session files that a client resumes. They hold messages as ``provider`` has them."""

    name: str
    provider: str

    def session_lines(self, items: Iterable[tuple[Json, Message]], head: SessionHead) -> Iterator[Json]:
        """Yields the lines of a file for the items of a request, each with the message that it was made from."""
