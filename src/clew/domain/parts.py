"""Parts: the atoms of content.

A part models what all providers share. What it does not model is kept in ``wire``, the block exactly as
it came, so that encoding to the same format gives the same JSON back, unknown fields included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

#: A decoded JSON object. Values in ``wire`` are shared, never changed in place.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wire:
    """A block or message as a provider wrote it, and the format it is written in."""

    format: str
    data: Any


class Status(StrEnum):
    """How a tool call ended. Only ``success`` and ``failed`` carry what the tool itself said."""

    SUCCESS = "success"
    FAILED = "failed"
    CANCELED = "canceled"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The base of all parts; ``wire`` is None for parts that were made here."""

    wire: Wire | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Part):
    """Words of a person, a model or a client."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Part):
    """A request to run a tool.

    ``arguments`` is the decoded object, or the text itself where a model wrote something that is no
    JSON object (a patch, a broken call). ``server`` marks tools that the provider runs: their outputs
    stand in the same message.
    """

    id: str
    name: str
    arguments: Any
    server: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Part):
    """What a tool call gave back; ``content`` holds texts, media and opaque parts only."""

    call_id: str
    content: tuple[Part, ...] = ()
    status: Status = Status.SUCCESS
    reason: str | None = None
    name: str | None = None
    server: bool = False

    @property
    def text(self) -> str:
        return "\n".join(texts(self.content))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning(Part):
    """A model's thinking. ``seal`` is a signature or encrypted content: it holds only for its maker."""

    text: str = ""
    seal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Media(Part):
    """An image, sound, video or document: inline base64 in ``data``, or a ``url``; never fetched."""

    media_type: str
    data: str | None = None
    url: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque(Part):
    """A block of a kind that this version does not model; it travels in its own format only."""

    kind: str


def texts(parts: Iterable[Part]) -> Iterator[str]:
    """The texts among the parts, in order; other parts say nothing here."""
    return (part.text for part in parts if isinstance(part, Text))
