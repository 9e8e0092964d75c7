"""What a provider's format cannot say: a list of it, and the words that take its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from clew.domain import Loss, Media, Message, Opaque, Part, Reasoning, Text, texts


@dataclass(slots=True)
class Losses:
    """Collects what a format cannot say, while it is being written."""

    found: list[Loss] = field(default_factory=list)

    def add(self, message: Message, what: str) -> None:
        self.found.append(Loss(message.id or message.role, what))

    def add_part(self, message: Message, part: Part) -> None:
        """A part that only its own provider can read."""
        if isinstance(part, Reasoning):
            self.add(message, "reasoning of another provider, or not as its provider wrote it")
        else:
            kind = part.kind if isinstance(part, Opaque) else type(part).__name__.lower()
            self.add(message, f"a {kind} block of another provider")

    def media_as_text(self, message: Message, media: Media) -> str:
        """Media that the format has no place for, in words."""
        self.add(message, f"{media.media_type or 'media'} content, named in its place")
        return media_placeholder(media)


def media_placeholder(media: Media) -> str:
    """A short text in place of media that cannot travel."""
    name = f" {media.name}" if media.name else ""
    size = f", {len(media.data) * 3 // 4:,} bytes" if media.data else ""
    return f"[{media.media_type or 'media'}{name}{size}: not shown here]"


def as_text(part: Part) -> Text | None:
    """The part in words for a format that has no place for it, or None for what has no words."""
    if isinstance(part, Text):
        return part
    if isinstance(part, Media):
        return Text(text=media_placeholder(part))
    return None


def flat_text(parts: Sequence[Part]) -> str:
    """Texts joined by lines, media named: for formats whose outputs are one string."""
    return "\n".join(texts(text for text in map(as_text, parts) if text))
