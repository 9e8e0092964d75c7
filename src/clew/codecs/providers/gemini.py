"""The Gemini API (generateContent): requests in and out.

Derived ids never leave again. Vertex refuses ids altogether, so those of other formats do not cross into
this one either: calls and responses are written in the order that pairs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio
from clew.codecs.fields import text_or_none
from clew.codecs.providers.conversion import (
    as_object,
    is_derived,
    is_unchanged,
    leading_system,
    own_wire,
    unknown_fields,
    with_status_line,
)
from clew.codecs.providers.gemini_parts import (
    NAME,
    as_content,
    field,
    id_of,
    read_message,
    read_part,
    read_response,
    snake,
    with_id,
)
from clew.codecs.providers.losses import Losses, flat_text
from clew.codecs.providers.provider_codec import ProviderCodec
from clew.domain.messages import Message, Role
from clew.domain.parts import Call, Json, Media, Output, Part, Status, Text
from clew.domain.records import Record

#: What the API takes in place of the signature of a call that another model made.
_NO_SIGNATURE = "skip_thought_signature_validator"
#: What a response may hold beside its object.
_IN_RESPONSES = {"image/png", "image/jpeg", "image/webp", "application/pdf", "text/plain"}


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def _same(part: Part) -> Any | None:
    """The part as it came; where it had no id on the wire, any id will do."""
    if part.wire is None or part.wire.format != NAME:
        return None
    came = read_part(part.wire.data)
    if isinstance(came, Call | Output) and isinstance(part, Call | Output) and is_derived(id_of(came)):
        came = with_id(came, id_of(part))
    return part.wire.data if is_unchanged(came, part) else None


def write_part(part: Part, message: Message, losses: Losses) -> Any | None:
    """The part, or None when this API has no way to say it; ``losses`` then tells."""
    same = _same(part)
    if same is not None:
        return {"text": same} if isinstance(same, str) else same
    match part:
        case Text():
            if not part.text.strip():
                return None
            data: Json = {"text": part.text}
        case Call(server=False):
            data = {"functionCall": _with_wire_fields(part, "functionCall", _write_call(part))}
        case Output(server=False):
            data = {
                "functionResponse": _with_wire_fields(part, "functionResponse", _write_response(part, message, losses))
            }
        case Media():
            data = _write_media(part) if part.data or part.url else {"text": losses.media_as_text(message, part)}
        case _:
            losses.add_part(message, part)
            return None
    return data | unknown_fields(part, NAME, (*data, *map(snake, data)))


def _with_wire_fields(part: Call | Output, name: str, data: Json) -> Json:
    """What is made anew, with what else came in its place. An id goes out only where one came in."""
    came = field(own_wire(part, NAME), name)
    if not isinstance(came, dict):
        return data
    rest = {key: value for key, value in came.items() if key not in {*data, "parts"}}
    return rest | ({"id": id_of(part)} if "id" in came else {}) | data


def _write_call(part: Call) -> Json:
    return {"name": part.name, "args": as_object(part.arguments)}


def _write_response(part: Output, message: Message, losses: Losses) -> Json:
    """An object with the output, or with the error; media that may stand beside it do."""
    media = [piece for piece in part.content if isinstance(piece, Media) and _fits_in_response(piece)]
    content = [piece for piece in part.content if piece not in media]
    for one in content:
        if isinstance(one, Media):
            losses.media_as_text(message, one)
        elif not isinstance(one, Text):
            losses.add_part(message, one)
    failed = part.status is not Status.SUCCESS
    parts = with_status_line(content, Status.SUCCESS if part.status is Status.FAILED else part.status)
    out: Json = {"name": part.name or "tool", "response": {"error" if failed else "output": flat_text(parts)}}
    return out | ({"parts": [_write_media(piece) for piece in media]} if media else {})


def _fits_in_response(media: Media) -> bool:
    return media.data is not None and media.media_type in _IN_RESPONSES


def _write_media(part: Media) -> Json:
    if part.data is not None:
        return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
    guessed = {"image": "image/jpeg", "document": "application/pdf"}
    return {"fileData": {"mimeType": guessed.get(part.media_type, part.media_type), "fileUri": part.url}}


def _write_content(message: Message, losses: Losses) -> Json | None:
    if message.wire is not None and _is_as_it_came(message):
        return dict(message.wire.data)
    parts = [data for part in message.parts if (data := write_part(part, message, losses)) is not None]
    role = "model" if message.role is Role.ASSISTANT else "user"
    return {"role": role, "parts": _with_signature(parts, message)} if parts else None


def _with_signature(parts: list[Json], message: Message) -> list[Json]:
    """The first call of a step must be signed; one that another model made says that it cannot be."""
    first = next((call for call in message.calls if not call.server), None)
    if first is None or own_wire(first, NAME):
        return parts
    at = next(index for index, data in enumerate(parts) if "functionCall" in data)
    return [*parts[:at], parts[at] | {"thoughtSignature": _NO_SIGNATURE}, *parts[at + 1 :]]


def _is_as_it_came(message: Message) -> bool:
    wire = message.wire
    if wire is None or wire.format != NAME or not isinstance(wire.data.get("parts"), list):
        return False
    came = wire.data["parts"]
    return len(came) == len(message.parts) and all(map(lambda part, data: _same(part) is data, message.parts, came))


# ── one content for each turn ────────────────────────────────────────────────────────────────────────


def _turns(messages: Sequence[Message]) -> list[Message]:
    """Neighbours of one side as one message, outputs in the order of their calls; what came so stays."""
    out: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        if message.role is Role.ASSISTANT:
            # A later turn may use an id again: only calls since the last outputs are waiting.
            names = names if out and _side(out[-1]) else {}
            names |= {call.id: call.name for call in message.calls}
        if out and _side(out[-1]) == _side(message) and not (_came_here(out[-1]) and _came_here(message)):
            message = replace(out[-1], parts=out.pop().parts + message.parts, wire=None)
        out.append(message if _is_as_it_came(message) else _answering(message, names))
    return out


def _came_here(message: Message) -> bool:
    """True for a turn that was one of its own in this format."""
    wires = (message.wire, *(part.wire for part in message.parts))
    return any(wire is not None and wire.format == NAME for wire in wires)


def _side(message: Message) -> bool:
    return message.role is Role.ASSISTANT


def _answering(message: Message, names: dict[str, str]) -> Message:
    """Outputs first, in the order of their calls, and with the name of the function they answer."""
    if message.role is Role.ASSISTANT:
        return message
    order = {id: index for index, id in enumerate(names)}
    named = [replace(output, name=names.get(output.call_id, output.name)) for output in message.outputs]
    outputs = sorted(named, key=lambda output: order.get(output.call_id, len(order)))
    return replace(message, parts=(*outputs, *(part for part in message.parts if not isinstance(part, Output))))


class Gemini(ProviderCodec):
    """Codec and encoder of generateContent."""

    name = NAME

    def load(self, body: bytes) -> Json:
        data = jsonio.loads(body)
        data = {"role": "user", "parts": [data]} if isinstance(data, str) else data
        if not isinstance(data, dict):
            raise ValueError(f"expected a JSON object, found {type(data).__name__}")
        return data

    def read_data(self, data: Json) -> Record:
        if "role" not in data and isinstance(data.get("candidates"), list):
            return Record(key=text_or_none(field(data, "responseId")) or "", message=read_response(data))
        return Record(key="", message=read_message(data))

    def system_body(self, system: Any) -> bytes:
        """The record of a system prompt that a caller hands over beside the messages."""
        return jsonio.dumps({"systemInstruction": system})

    def write_body(self, messages: Sequence[Message], losses: Losses) -> Json:
        leading = leading_system(messages)
        body = _write_system(messages[:leading], losses) if leading else {}
        contents = [_write_content(turn, losses) for turn in _turns(messages[leading:])]
        return body | {"contents": [content for content in contents if content is not None]}


def _write_system(messages: Sequence[Message], losses: Losses) -> Json:
    wire = messages[0].wire
    if (
        len(messages) == 1
        and wire is not None
        and wire.format == NAME
        and read_message(wire.data).parts == messages[0].parts
    ):
        data = wire.data
        return dict(data) if "role" not in data else {"systemInstruction": as_content(data.get("content", data))}
    parts = [write_part(part, message, losses) for message in messages for part in message.parts]
    texts = [part for part in parts if part is not None]
    return {"systemInstruction": {"parts": texts}} if texts else {}
