"""Parts: the pieces of content that a message is made of.

A part models what all providers share. ``wire`` keeps the whole block exactly as it came, so that encoding to the same
format gives the same JSON back, unknown fields included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from clew.domain.checks import check_json, check_text, check_text_or_none, checked_items, checked_word

#: A decoded JSON object. Values in ``wire`` are shared, never changed in place.
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wire:
    """A block or message as a provider wrote it, with the name of its format."""

    format: str
    data: Any


class Status(StrEnum):
    """How a tool call ended. Only ``success`` and ``failed`` mean that the content is what the tool itself returned.

    A call whose output never came, and of which nothing better is known, is ``aborted``; ``interrupted`` is one that a
    person stopped while it ran, ``canceled`` one that was called off or refused.
    """

    SUCCESS = "success"
    FAILED = "failed"
    CANCELED = "canceled"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Base of all parts. ``wire`` is None for parts that Clew or its caller made.

    Parts are checked when they are made: UsageError says what is wrong with one.
    """

    wire: Wire | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Part):
    """Text of a person, a model or a client."""

    text: str

    def __post_init__(self) -> None:
        check_text(self.text, "Text.text")


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

    def __post_init__(self) -> None:
        check_text(self.id, "Call.id")
        check_text(self.name, "Call.name")
        if self.wire is None:  # what came over a wire is JSON
            check_json(self.arguments, "Call.arguments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Part):
    """The result of a tool call. ``content`` holds texts, media and opaque parts only.

    ``reason`` is why the call ended so; of one that a person refused or answered, the words that the client says are
    theirs.
    """

    call_id: str
    content: tuple[Part, ...] = ()
    status: Status = Status.SUCCESS
    reason: str | None = None
    name: str | None = None
    server: bool = False

    def __post_init__(self) -> None:
        check_text(self.call_id, "Output.call_id")
        check_text_or_none(self.reason, "Output.reason")
        check_text_or_none(self.name, "Output.name")
        wanted = "Output.content is a tuple of Text, Media or Opaque parts: content=(Text(text=…),)"
        object.__setattr__(self, "content", checked_items(self.content, (Text, Media, Opaque), wanted))
        object.__setattr__(self, "status", checked_word(Status, self.status, "Output.status"))

    @property
    def text(self) -> str:
        """All texts of its content, joined by newlines."""
        return "\n".join(texts(self.content))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoning(Part):
    """A model's thinking.
    ``seal`` is a signature or encrypted content, which only the provider that made it accepts.
    """

    text: str = ""
    seal: str | None = None

    def __post_init__(self) -> None:
        check_text(self.text, "Reasoning.text")
        check_text_or_none(self.seal, "Reasoning.seal")

    @property
    def is_bound(self) -> bool:
        """True for thinking that is sealed to every byte before it, as Anthropic's is: it is refused once those change.
        Other providers seal theirs by itself, and miss it beside what followed it.
        """
        return bool(self.seal) and (self.wire is None or self.wire.format == "anthropic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Media(Part):
    """An image, sound, video or document: inline base64 in ``data``, or a ``url``, which is never fetched."""

    media_type: str
    data: str | None = None
    url: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        check_text(self.media_type, "Media.media_type")
        check_text_or_none(self.data, "Media.data", "give base64.b64encode(data).decode()")
        check_text_or_none(self.url, "Media.url")
        check_text_or_none(self.name, "Media.name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque(Part):
    """A block of a kind that this version does not model. It can be sent in its own format only."""

    kind: str

    def __post_init__(self) -> None:
        check_text(self.kind, "Opaque.kind")


def texts(parts: Iterable[Part]) -> Iterator[str]:
    """Yields the texts among the parts, in order; parts of other types are skipped."""
    return (part.text for part in parts if isinstance(part, Text))
