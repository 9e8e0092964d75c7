"""What a conversation needs to cross from one format to another, the same for all of them.

Everything here depends on nothing but what it is given, so that both sides of a call cross alike and
the same history gives the same bytes every time.

What a provider sent, sent back byte for byte as long as the part still says the same.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio
from clew.domain import Call, Json, Media, Message, Output, Part, Role, Status, Text, Tool, Wire

#: The tightest limit of any provider; ids made here keep to it, so that they are legal everywhere.
_MOST_CHARACTERS = 40
_HASH_CHARACTERS = 16
_DERIVED = "derived:"
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]")
_MARK = re.compile(rf"\[({'|'.join(status for status in Status if status is not Status.SUCCESS)})\](?:\n|\Z)")

#: How a tool that takes free text looks to providers whose tools take objects only.
FREE_TEXT: Json = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
NO_ARGUMENTS: Json = {"type": "object", "properties": {}}


# ── ids ──────────────────────────────────────────────────────────────────────────────────────────────


def derived_id(name: str, nth: int) -> str:
    """An id for formats that pair calls and outputs by order: by name, and by place among those of it."""
    return f"{_DERIVED}{name}:{nth}"


def is_derived(id: str) -> bool:
    """True also for an id that was renamed since, as long as it begins as it did."""
    return id.startswith(_DERIVED)


def derived_place(id: str) -> int:
    """The place among those of its name that a derived id was made for."""
    place = id.rpartition(":")[2]
    return int(place) if place.isdecimal() else 0


def legal_id(id: str) -> str:
    """Letters, digits, _ and - only, at most 40 of them; a hash of the id keeps different ids apart."""
    digest = hashlib.sha256(id.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARACTERS]
    stem = _ILLEGAL.sub("_", id)[: _MOST_CHARACTERS - _HASH_CHARACTERS - 1]
    return f"{stem or 'call'}-{digest}"


def with_legal_ids(
    messages: Sequence[Message], allowed: re.Pattern[str], is_native: Callable[[Part], bool]
) -> list[Message]:
    """The messages with tool ids that ``allowed`` matches, on calls and outputs alike.

    Ids that came in the target's own format (``is_native``) stay: what was sent so is sent so again, and
    whether it is valid is for the rules to say.
    """
    odd = [part for message in messages for part in message.parts if _tool_id(part, allowed) is not None]
    native = {_tool_id(part, allowed) for part in odd if is_native(part)}
    changed = {id: legal_id(id) for part in odd if (id := _tool_id(part, allowed)) is not None and id not in native}
    return [_rename_ids(message, changed) for message in messages] if changed else list(messages)


def _tool_id(part: Part, allowed: re.Pattern[str]) -> str | None:
    """The id of a call or output that ``allowed`` does not match."""
    match part:
        case Call(server=False, id=id) | Output(server=False, call_id=id):
            return None if allowed.fullmatch(id) else id
    return None


def _rename_ids(message: Message, changed: dict[str, str]) -> Message:
    def fresh(part: Part) -> Part:
        match part:
            case Call(server=False, id=id) if id in changed:
                return replace(part, id=changed[id])
            case Output(server=False, call_id=id) if id in changed:
                return replace(part, call_id=changed[id])
        return part

    return replace(message, parts=tuple(fresh(part) for part in message.parts))


# ── arguments ────────────────────────────────────────────────────────────────────────────────────────


def read_arguments(text: Any) -> Any:
    """What a model wrote as JSON text: the object; nothing at all is an empty one; else the text itself."""
    if not isinstance(text, str):
        return {} if text is None else text
    if not text.strip():
        return {}
    try:
        value = jsonio.loads(text.encode("utf-8", "replace"))
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def as_object(arguments: Any) -> Json:
    """Arguments for formats that want an object. They are not unwrapped on the way back: a tool may well
    have a single argument called input."""
    return arguments if isinstance(arguments, dict) else {"input": arguments}


def write_arguments(arguments: Any) -> str:
    """Arguments as the JSON text of an object."""
    return jsonio.dumps(as_object(arguments)).decode("utf-8")


# ── how an output ended ──────────────────────────────────────────────────────────────────────────────


def with_status_line(content: Sequence[Part], status: Status) -> tuple[Part, ...]:
    """The content with a first line such as ``[failed]``, for formats with no field for it.

    It is there whenever the status is not success, whatever the text says: so it can be read back.
    """
    if status is Status.SUCCESS:
        return tuple(content)
    mark = f"[{status}]"
    if content and isinstance(content[0], Text):
        first = replace(content[0], text=f"{mark}\n{content[0].text}" if content[0].text else mark)
        return (first, *content[1:])
    return (Text(text=mark), *content)


def read_status_line(content: Sequence[Part]) -> tuple[tuple[Part, ...], Status]:
    """The content without the line that says how it ended, and what that line said."""
    first = content[0] if content else None
    match = _MARK.match(first.text) if isinstance(first, Text) else None
    if match is None or not isinstance(first, Text):
        return tuple(content), Status.SUCCESS
    return (replace(first, text=first.text[match.end() :]), *content[1:]), Status(match[1])


# ── media ────────────────────────────────────────────────────────────────────────────────────────────


def media_at(url: str, *, kind: str, name: str | None = None, wire: Wire | None = None) -> Media:
    """Media behind an address; what a data: address holds is taken out of it."""
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        media_type = head[len("data:") : -len(";base64")].split(";")[0]
        return Media(media_type=media_type or kind, data=data, name=name, wire=wire)
    return Media(media_type=kind, url=url, name=name, wire=wire)


def address_of(media: Media) -> str | None:
    """Where the media can be fetched, inline data as a data: address."""
    return media.url if media.data is None else f"data:{media.media_type};base64,{media.data}"


def text_inside(media: Media) -> str | None:
    """The words of a plain text document, which any format can carry."""
    if media.data is None or not media.media_type.startswith("text/"):
        return None
    try:
        return base64.b64decode(media.data, validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def text_as_data(text: str) -> str:
    """A text as base64 of its UTF-8."""
    return base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")


# ── tools, system ────────────────────────────────────────────────────────────────────────────────────


def is_provider_tool(tool: Tool) -> bool:
    """Tools that a provider runs mean nothing to another; codecs read them without a schema."""
    return tool.wire is not None and not tool.schema


def leading_system(messages: Iterable[Message]) -> int:
    """How many system messages stand before all others."""
    count = 0
    for message in messages:
        if message.role is not Role.SYSTEM:
            break
        count += 1
    return count


def unchanged_wire(part: Part, format: str, read: Callable[[Any], Part]) -> Any | None:
    """The block as it came, if it came in this format and still says what the part says."""
    wire = part.wire
    if wire is not None and wire.format == format and is_unchanged(read(wire.data), part):
        return wire.data
    return None


def is_unchanged(came: Part, part: Part) -> bool:
    """True when a part says what it said on the wire. How a call ended may have been learned elsewhere (from
    the client's own notes, or from the text): that is no change of what the provider was told."""
    if isinstance(came, Output) and isinstance(part, Output):
        part = replace(part, status=came.status, reason=came.reason, name=came.name)
    return came == part


def own_wire(part: Part, format: str) -> Json:
    """The object that a part was read from, or an empty one when it came in no object of this format."""
    wire = part.wire
    return wire.data if wire is not None and wire.format == format and isinstance(wire.data, dict) else {}


def unknown_fields(part: Part, format: str, known: Sequence[str]) -> Json:
    """Fields of a block that this version does not model: they stay when the rest is made anew."""
    return {name: value for name, value in own_wire(part, format).items() if name not in known}
