"""The Anthropic Messages API: requests in and out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import system_of
from clew.codecs.fields import text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers.anthropic_blocks import NAME, read_content, read_part, read_usage
from clew.codecs.providers.conversion import (
    as_object,
    leading_system,
    text_inside,
    unchanged_wire,
    unknown_fields,
    with_legal_ids,
)
from clew.codecs.providers.losses import Losses
from clew.codecs.providers.provider_codec import ProviderCodec
from clew.codecs.streams.pieces import is_interrupted
from clew.domain.messages import Message, Role
from clew.domain.parts import Call, Json, Media, Output, Part, Status, Text, Wire
from clew.domain.records import Record

_IDS = re.compile(r"[a-zA-Z0-9_-]+")
_IMAGES = {"image/jpeg", "image/png", "image/gif", "image/webp"}


def read_message(data: Json) -> Message:
    """A message, or the system prompt as a request has it: beside the messages."""
    role = "system" if system_of(data) is not None else data.get("role")
    if role not in ("user", "assistant", "system"):
        raise ValueError(f"no role of the Messages API: {role!r}")
    parts = read_content(_content_of(data))
    return Message(
        role=Role(role),
        parts=parts,
        origin=origin_of(Role(role), parts),
        model=text_or_none(data.get("model")),
        usage=read_usage(data.get("usage")),
        wire=Wire(NAME, _without_response(data)),
        interrupted=is_interrupted(data),
        stop_reason=text_or_none(data.get("stop_reason")),
    )


def _without_response(data: Json) -> Json:
    """The message as a request takes it: a whole response has members beside it that the API refuses to get back."""
    return {name: data[name] for name in ("role", "content") if name in data} if data.get("type") == "message" else data


def _content_of(data: Json) -> Any:
    return data.get("content") if "role" in data else system_of(data)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_part(part: Part, message: Message, losses: Losses) -> Any | None:
    """The block, or None when this API has no way to say it; ``losses`` then tells."""
    same = unchanged_wire(part, NAME, read_part)
    if same is not None:
        return same
    match part:
        case Text():
            block = unknown_fields(part, NAME, ("type", "text")) | {"type": "text", "text": part.text}
            return block if part.text.strip() else None
        case Call(server=False):
            known = {"type": "tool_use", "id": part.id, "name": part.name, "input": as_object(part.arguments)}
            return known | unknown_fields(part, NAME, tuple(known))
        case Output(server=False):
            return _write_output(part, message, losses)
        case Media():
            return _write_media(part, message, losses)
        case _:
            losses.add_part(message, part)
    return None


def _write_output(part: Output, message: Message, losses: Losses) -> Json:
    block: Json = {
        "type": "tool_result",
        "tool_use_id": part.call_id,
        "content": _output_content(part.content, message, losses),
    }
    if part.status is not Status.SUCCESS:
        block["is_error"] = True
    return block | unknown_fields(part, NAME, (*block, "is_error"))


def _output_content(content: Sequence[Part], message: Message, losses: Losses) -> Any:
    if len(content) == 1 and isinstance(content[0], Text) and not unknown_fields(content[0], NAME, ("type", "text")):
        return content[0].text
    return _blocks(content, message, losses)


def _blocks(parts: Sequence[Part], message: Message, losses: Losses) -> list[Json]:
    blocks = [block for part in parts if (block := write_part(part, message, losses)) is not None]
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]


def _write_media(part: Media, message: Message, losses: Losses) -> Json:
    title = {"title": part.name} if part.name else {}
    if part.data is not None and part.media_type in _IMAGES:
        return {"type": "image", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}
    if part.data is not None and part.media_type == "application/pdf":
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
        return {"type": "document", "source": source, **title}
    if (text := text_inside(part)) is not None and text.strip():
        return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}, **title}
    if part.url is not None and part.url.startswith("https:"):
        image = part.media_type.startswith("image")
        return {"type": "image" if image else "document", "source": {"type": "url", "url": part.url}}
    return {"type": "text", "text": losses.media_as_text(message, part)}


def _is_as_it_came(message: Message) -> bool:
    """True for a message of this API, from its list of messages, that nobody has changed."""
    wire = message.wire
    return (
        wire is not None
        and wire.format == NAME
        and "role" in wire.data
        and read_content(wire.data.get("content")) == message.parts
    )


def write_message(message: Message, losses: Losses) -> Json | None:
    if message.wire is not None and _is_as_it_came(message):
        return dict(message.wire.data)
    role = "assistant" if message.role is Role.ASSISTANT else "user"
    if len(message.parts) == 1 and isinstance(unchanged_wire(message.parts[0], NAME, read_part), str):
        return {"role": role, "content": message.parts_of(Text)[0].text}
    blocks = _blocks(message.parts, message, losses)
    return {"role": role, "content": blocks} if blocks else None


def _continues_outputs(before: Json, message: Message) -> bool:
    """Outputs of one step may come as several messages; this API wants them in one."""
    return bool(message.outputs) and before["role"] == "user" and any(map(_is_result, _list(before["content"])))


def _join_results(before: Json, after: Json) -> Json:
    """Two messages of outputs as one; results stand before everything else."""
    blocks = [*_list(before["content"]), *_list(after["content"])]
    return before | {"content": sorted(blocks, key=lambda block: not _is_result(block))}


def _list(content: Any) -> list[Any]:
    return content if isinstance(content, list) else []


def _is_result(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _write_messages(messages: Sequence[Message], losses: Losses) -> list[Json]:
    out: list[Json] = []
    exact = True
    for message in messages:
        data = write_message(message, losses)
        if data is None:
            continue
        was_exact, exact = exact, _is_as_it_came(message)
        if out and not (was_exact and exact) and _continues_outputs(out[-1], message):
            out[-1] = _join_results(out[-1], data)
        else:
            out.append(data)
    return out


def _leading_system(messages: Sequence[Message]) -> int:
    """System messages that go beside the list: those before all others, unless they came inside the list."""
    count = leading_system(messages)
    return next((index for index in range(1, count) if _is_as_it_came(messages[index])), count)


def _write_system(messages: Sequence[Message], losses: Losses) -> Any:
    wire = messages[0].wire
    if len(messages) == 1 and wire is not None and wire.format == NAME:
        content = _content_of(wire.data)
        if read_content(content) == messages[0].parts:
            return content
    return [block for message in messages for block in _blocks(message.parts, message, losses)]


class Anthropic(ProviderCodec):
    """Codec and encoder of the Messages API."""

    name = NAME

    def read_data(self, data: Json) -> Record:
        return Record(key=text_or_none(data.get("id")) or "", message=read_message(data))

    def system_body(self, system: Any) -> bytes:
        """The record of a system prompt that a caller hands over beside the messages."""
        return jsonio.dumps({"system": system})

    def write_body(self, messages: Sequence[Message], losses: Losses) -> Json:
        messages = with_legal_ids(messages, _IDS, lambda part: unchanged_wire(part, NAME, read_part) is not None)
        leading = _leading_system(messages)
        body: Json = {}
        if leading and (system := _write_system(messages[:leading], losses)):
            body["system"] = system
        body["messages"] = _write_messages(messages[leading:], losses)
        return body
