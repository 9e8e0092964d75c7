"""What all codecs share: the exact way back, whose words they are, times, and words for what cannot cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from clew.domain import Json, Loss, Media, Message, Opaque, Origin, Output, Part, Role, Text, texts
from clew.text.wrappers import is_injected


def wire_of(part: Part, format: str, read: Callable[[Any], Part]) -> Any | None:
    """The block as it came, if it came in this format and still says what the part says."""
    wire = part.wire
    if wire is not None and wire.format == format and is_same(read(wire.data), part):
        return wire.data
    return None


def is_same(came: Part, part: Part) -> bool:
    """True when a part says what it said on the wire. How a call ended may have been learned elsewhere (from
    the client's own notes, or from the text): that is no change of what the provider was told."""
    if isinstance(came, Output) and isinstance(part, Output):
        part = replace(part, status=came.status, reason=came.reason, name=came.name)
    return came == part


def own_wire(part: Part, format: str) -> Json:
    """The object that a part was read from, or an empty one when it came in no object of this format."""
    wire = part.wire
    return wire.data if wire is not None and wire.format == format and isinstance(wire.data, dict) else {}


def extras_of(part: Part, format: str, known: Sequence[str]) -> Json:
    """Fields of a block that this version does not model: they stay when the rest is made anew."""
    return {name: value for name, value in own_wire(part, format).items() if name not in known}


def origin_of(role: Role, parts: Sequence[Part]) -> Origin:
    """Whose words a message holds, where its format says no more than the role.

    Clients send their reminders in the user's name; a message without one word of a person is theirs.
    """
    if role is not Role.USER:
        return {Role.SYSTEM: Origin.SYSTEM, Role.ASSISTANT: Origin.MODEL}.get(role, Origin.TOOL)
    answers = any(isinstance(part, Output) for part in parts)
    if answers and all(isinstance(part, Output) for part in parts):
        return Origin.TOOL
    if is_injected(parts):
        return Origin.TOOL if answers else Origin.CLIENT
    return Origin.PERSON


def string(value: Any) -> str:
    """The value, when it is text; a TypeError tells a reader to leave the block opaque."""
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value


def text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def seconds(value: Any) -> float | None:
    """ISO 8601 text, or milliseconds or seconds since 1970; None for anything else."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        return value / 1000 if value > 1e11 else float(value)
    return None


@dataclass(slots=True)
class Losses:
    """Collects what a format cannot say, while it is being written."""

    found: list[Loss] = field(default_factory=list)

    def add(self, message: Message, what: str) -> None:
        self.found.append(Loss(message.id or message.role, what))

    def add_part(self, message: Message, part: Part) -> None:
        """A part that only its own provider can read."""
        kind = part.kind if isinstance(part, Opaque) else type(part).__name__.lower()
        self.add(message, f"a {kind} block of another provider")

    def add_reasoning(self, message: Message) -> None:
        self.add(message, "reasoning of another provider, or not as its provider wrote it")

    def named(self, message: Message, media: Media) -> str:
        """Media that the format has no place for, in words."""
        self.add(message, f"{media.media_type or 'media'} content, named in its place")
        return named_media(media)


def named_media(media: Media) -> str:
    """A short text in place of media that cannot travel."""
    name = f" {media.name}" if media.name else ""
    size = f", {len(media.data) * 3 // 4:,} bytes" if media.data else ""
    return f"[{media.media_type or 'media'}{name}{size}: not shown here]"


def as_text(part: Part) -> Text | None:
    """The part in words for a format that has no place for it, or None for what has no words."""
    if isinstance(part, Text):
        return part
    if isinstance(part, Media):
        return Text(text=named_media(part))
    return None


def flat_text(parts: Sequence[Part]) -> str:
    """Texts joined by lines, media named: for formats whose outputs are one string."""
    return "\n".join(texts(text for text in map(as_text, parts) if text))
