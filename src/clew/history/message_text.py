"""Messages as text that a person can read, with ids and roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clew.codecs import jsonio
from clew.domain import Call, Media, Message, Opaque, Output, Part, Reasoning, Role, Status, Text


def transcript_text(messages: Iterable[Message]) -> str:
    """Renders messages one below the other, with an empty line between."""
    return "\n\n".join(message_text(message) for message in messages)


def message_text(message: Message) -> str:
    """Renders a line that says who speaks, then each part."""
    thread = f" ({message.thread})" if message.thread else ""
    whose = f", {message.origin}" if message.origin in {"client", "summary", "clew", "reported"} else ""
    broken = ", interrupted" if message.interrupted else ""
    head = f"[{message.id or '-'} {speaker(message)}{whose}{broken}{thread}]"
    return "\n".join([head, *(text for part in message.parts if (text := part_text(part)))])


def speaker(message: Message) -> str:
    """Names whose words these are: some formats put what a tool gave back under the user's name."""
    return str(Role.TOOL if message.role is Role.USER and message.outputs else message.role)


def part_text(part: Part) -> str:
    """Renders one part; reasoning without text, media and unknown parts are named in brackets."""
    match part:
        case Text():
            return part.text
        case Call():
            return f"→ {part.name} {_arguments_text(part.arguments)}"
        case Output():
            return _output_text(part)
        case Reasoning():
            return f"(thinking) {part.text}" if part.text else "(thinking, sealed)"
        case Media():
            return f"({part.media_type}{' ' + part.name if part.name else ''})"
        case Opaque():
            return f"({part.kind})"
        case _:
            return ""


def _arguments_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return jsonio.dumps(arguments).decode()


def _output_text(part: Output) -> str:
    status = "" if part.status is Status.SUCCESS else f" {part.status}{': ' + part.reason if part.reason else ''}"
    body = "\n".join(text for inner in part.content if (text := part_text(inner)))
    return f"←{status} {body}"


def media_in(parts: Sequence[Part]) -> list[Media]:
    """Returns media among parts and in outputs."""
    inner = (piece for part in parts for piece in (part.content if isinstance(part, Output) else (part,)))
    return [piece for piece in inner if isinstance(piece, Media)]


def whole_texts(message: Message) -> list[str]:
    """Returns the texts and media of a message that may be clipped: each has an id of its own."""
    texts = [part.text for part in message.parts if isinstance(part, Text | Output) and part.text]
    return [*texts, *map(media_content, media_in(message.parts))]


def media_content(media: Media) -> str:
    """What tells media apart: their bytes, or where they are."""
    return media.data or media.url or media.name or media.media_type
