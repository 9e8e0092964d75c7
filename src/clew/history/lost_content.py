"""Messages whose content is partly lost: what stands in its place is a text, and never passes for anything else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clew.domain import Call, Media, Message, Opaque, Output, Part, Reasoning, Text
from clew.history.body_blobs import LOST

_LOST_PART = "[missing: lost when the store was damaged]"


def without_lost_content(message: Message) -> Message:
    """Returns a message that can be sent: a lost image or unknown block becomes a text, a lost seal is dropped.
    A message of which nothing is lost is returned as it is.
    """
    parts = tuple(map(_mend_part, message.parts))
    is_whole = all(part is old for part, old in zip(parts, message.parts, strict=True))
    return message if is_whole else replace(message, parts=parts, wire=None)


def _mend_part(part: Part) -> Part:
    if not _is_lost(part):
        return part
    match part:
        case Media():
            return Text(text=part.data or part.url or _LOST_PART)
        case Opaque():
            return Text(text=_LOST_PART)
        case Reasoning():
            return replace(part, seal=None, wire=None)
        case Output():
            return replace(part, content=tuple(map(_mend_part, part.content)), wire=None)
        case _:
            return replace(part, wire=None)


def _is_lost(part: Part) -> bool:
    match part:
        case Media():
            values: tuple[Any, ...] = (part.data, part.url)
        case Reasoning():
            values = (part.text, part.seal)
        case Text():
            values = (part.text,)
        case Call():
            values = (part.arguments,)
        case Output():
            return any(map(_is_lost, part.content)) or _holds(part.wire and part.wire.data)
        case _:
            values = ()
    return any(map(_holds, values)) or _holds(part.wire and part.wire.data)


def _holds(value: Any) -> bool:
    if isinstance(value, str):
        return LOST in value
    if isinstance(value, dict):
        return any(map(_holds, value.values()))
    return isinstance(value, list) and any(map(_holds, value))
