"""What all codecs share: the exact way back, times, and words for what cannot cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from clew.domain import Json, Loss, Media, Message, Part, Text, texts


def wire_of(part: Part, format: str, read: Callable[[Any], Part]) -> Any | None:
    """The block as it came, if it came in this format and still says what the part says."""
    wire = part.wire
    if wire is not None and wire.format == format and read(wire.data) == part:
        return wire.data
    return None


def extras_of(part: Part, format: str, known: Sequence[str]) -> Json:
    """Fields of a block that this version does not model: they stay when the rest is made anew."""
    wire = part.wire
    if wire is None or wire.format != format or not isinstance(wire.data, dict):
        return {}
    return {name: value for name, value in wire.data.items() if name not in known}


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
