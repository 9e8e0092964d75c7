"""The OpenAI Chat Completions API, and the many servers that speak it: requests in and out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import system_of
from clew.codecs.fields import count_of, expect_text, object_of, text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers.conversion import (
    address_of,
    derived_id,
    media_at,
    own_wire,
    read_arguments,
    read_status_line,
    text_inside,
    unchanged_wire,
    unknown_fields,
    with_legal_ids,
    with_status_line,
    write_arguments,
)
from clew.codecs.providers.losses import Losses, flat_text
from clew.codecs.providers.provider_codec import ProviderCodec
from clew.codecs.streams.pieces import is_interrupted
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Text, Wire
from clew.domain.records import Record

NAME = "openai-chat"
_IDS = re.compile(r".{1,40}", re.DOTALL)
_ROLES = {
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
#: Names under which frameworks send what is no person's in the user's place.
_TOOL_NAMES = re.compile(
    r"(?i)(?:^|[_.-])(?:tools?|functions?|system|assistant|agent|bot|observation|environment|retriever|search|browser)"
    r"(?:$|[_.-])"
)
#: Fields of a reply beside its content: reasoning under the names that servers give it, and a refusal.
_BESIDE = ("reasoning_content", "reasoning", "refusal")
#: Fields that are one part each. Calls are a list of them, unless a server says something else there.
_WHOLE = ("function_call", "audio", "tool_calls")
_SOUNDS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_part(block: Any) -> Part:
    """A piece of content, a tool call, or one of the fields beside the content as an object of its own."""
    wire = Wire(NAME, block)
    if isinstance(block, str):
        return Text(text=block, wire=wire)
    if not isinstance(block, dict):
        return Opaque(kind=type(block).__name__, wire=wire)
    try:
        part = _read_known(block, wire)
    except (KeyError, TypeError, AttributeError):
        part = None
    return part or Opaque(kind=str(block.get("type", next(iter(block), ""))), wire=wire)


def is_malformed(block: Any) -> bool:
    """True for what is no block at all, and for one of a kind that is read here which lacks what such a block has."""
    if not isinstance(block, dict):
        return True
    try:
        return _read_known(block, Wire(NAME, block)) is None and "type" not in block and "audio" not in block
    except (KeyError, TypeError, AttributeError):
        return True


def _read_known(block: Json, wire: Wire) -> Part | None:
    match block.get("type"):
        case "text":
            return Text(text=expect_text(block["text"]), wire=wire)
        case "refusal":
            return Text(text=expect_text(block["refusal"]), wire=wire)
        case "image_url":
            image = block["image_url"]
            return media_at(expect_text(image["url"] if isinstance(image, dict) else image), kind="image", wire=wire)
        case "input_audio":
            sound = block["input_audio"]
            return Media(media_type=f"audio/{expect_text(sound['format'])}", data=expect_text(sound["data"]), wire=wire)
        case "file":
            file = block["file"]
            if "file_id" in file:  # its content is with the provider
                return None
            name = text_or_none(file.get("filename"))
            return media_at(expect_text(file["file_data"]), kind="application/pdf", name=name, wire=wire)
        case "custom":
            inner = block["custom"]
            return _call(expect_text(block["id"]), inner["name"], inner["input"], wire)
        case "function" | None if "function" in block:
            inner = block["function"]
            return _call(expect_text(block["id"]), inner["name"], read_arguments(inner.get("arguments")), wire)
        case None:
            return _read_beside(block, wire)
    return None


def _call(id: str, name: Any, arguments: Any, wire: Wire) -> Part:
    return Call(id=id, name=expect_text(name), arguments=arguments, wire=wire)


def _read_beside(block: Json, wire: Wire) -> Part | None:
    """Fields that are no blocks of a list: {"reasoning_content": …}, {"refusal": …}, {"function_call": …}."""
    if "function_call" in block:
        old = block["function_call"]
        return _call(derived_id(expect_text(old["name"]), 0), old["name"], read_arguments(old.get("arguments")), wire)
    if "refusal" in block:
        return Text(text=expect_text(block["refusal"]), wire=wire)
    field = next((name for name in _BESIDE if name in block), None)
    return Reasoning(text=expect_text(block[field]), wire=wire) if field else None


def read_content(content: Any) -> tuple[Part, ...]:
    if content is None:
        return ()
    return tuple(map(read_part, content if isinstance(content, list) else [content]))


def _read_output(data: Json) -> Output:
    """A whole message of a tool; the older kind names the function and no call."""
    content, status = read_status_line(read_content(data.get("content")))
    name = text_or_none(data.get("name"))
    call_id = text_or_none(data.get("tool_call_id"))
    if call_id is None:
        call_id = derived_id(name or "", 0)
    return Output(call_id=call_id, content=content, status=status, name=name, wire=Wire(NAME, data))


def read_message(data: Json) -> Message:
    role = _ROLES.get(data["role"]) if isinstance(data.get("role"), str) else None
    if role is None:
        raise ValueError(f"no role of the Chat API: {data.get('role')!r}")
    parts = (_read_output(data),) if role is Role.TOOL else tuple(_read_parts(data))
    is_named_tool = role is Role.USER and _TOOL_NAMES.search(text_or_none(data.get("name")) or "") is not None
    origin = Origin.TOOL if is_named_tool else origin_of(role, parts)
    return Message(role=role, parts=parts, origin=origin, wire=Wire(NAME, data))


def _read_parts(data: Json) -> Iterator[Part]:
    for field in _BESIDE[:2]:
        if isinstance(data.get(field), str) and data[field]:
            yield read_part({field: data[field]})
            break
    yield from read_content(data.get("content"))
    if isinstance(data.get("refusal"), str):
        yield read_part({"refusal": data["refusal"]})
    calls = data.get("tool_calls")
    yield from map(read_part, calls if isinstance(calls, list) else [])
    for field in _WHOLE:
        if data.get(field) is not None and not isinstance(data[field], list):
            yield read_part({field: data[field]})


def read_response(data: Json) -> Message:
    """The reply in a whole response: its first choice. ValueError when it has none."""
    choice = next((choice for choice in data["choices"] if isinstance(choice, dict)), {})
    if not isinstance(choice.get("message"), dict):
        raise ValueError("a response of the Chat API without a message among its choices")
    # What a response says by null or an empty list, a request says by silence: some of it would be refused.
    fields = {name: value for name, value in choice["message"].items() if value not in (None, []) or name == "content"}
    message = read_message({"role": "assistant"} | fields)
    return replace(
        message,
        model=text_or_none(data.get("model")),
        usage=_usage(object_of(data, "usage")),
        interrupted=is_interrupted(data),
        stop_reason=text_or_none(choice.get("finish_reason")),
    )


def _usage(counts: Json) -> Usage | None:
    if not isinstance(counts.get("prompt_tokens"), int):
        return None
    cached = count_of(object_of(counts, "prompt_tokens_details"), "cached_tokens")
    return Usage(counts["prompt_tokens"], count_of(counts, "completion_tokens"), cached)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def _same(part: Part) -> Any | None:
    return unchanged_wire(part, NAME, _read_output if isinstance(part, Output) else read_part)


def _write_output(part: Output, message: Message, losses: Losses) -> Json:
    same = _same(part)
    if same is not None:
        return dict(same)
    old = own_wire(part, NAME)
    older = old.get("role") == "function"
    head: Json = {"role": "function"} if older else {"role": "tool", "tool_call_id": part.call_id}
    if part.name and (older or "name" in old):
        head["name"] = part.name
    data = head | {"content": _output_text(part, message, losses)}
    return data | unknown_fields(part, NAME, ("role", "name", "tool_call_id", "content"))


def _output_text(part: Output, message: Message, losses: Losses) -> str:
    """Tools answer in words only: media are named, and how it ended is told in a first line."""
    came = own_wire(part, NAME)
    content = with_status_line(part.content, _read_output(came).status if came else part.status)
    for inner in content:
        if isinstance(inner, Media):
            losses.media_as_text(message, inner)
        elif not isinstance(inner, Text):
            losses.add_part(message, inner)
    return flat_text(content)


def _write_call(part: Call) -> Json:
    same = _same(part)
    if same is not None:
        return dict(same)
    old = own_wire(part, NAME)
    text = part.arguments if old and isinstance(part.arguments, str) else write_arguments(part.arguments)
    if "function_call" in old:
        return {"function_call": {"name": part.name, "arguments": text}}
    if old.get("type") == "custom":
        return old | {"id": part.id, "custom": old["custom"] | {"name": part.name, "input": text}}
    data = {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": text}}
    return data | unknown_fields(part, NAME, tuple(data))


def _write_piece(part: Part, message: Message, losses: Losses) -> Any | None:
    """A piece of content, or None when this API has no way to say it; ``losses`` then tells."""
    same = _same(part)
    if same is not None:
        return same
    match part:
        case Text():
            return unknown_fields(part, NAME, ("type", "text", "refusal")) | {"type": "text", "text": part.text}
        case Media():
            return _write_media(part, message, losses)
        case _:
            losses.add_part(message, part)
    return None


def _write_media(part: Media, message: Message, losses: Losses) -> Json:
    text, address = text_inside(part), address_of(part)
    if text is not None:
        return {"type": "text", "text": text}
    if message.role is Role.USER and address is not None:
        if part.media_type.startswith("image"):
            return {"type": "image_url", "image_url": {"url": address}}
        if part.data is not None and part.media_type in _SOUNDS:
            return {"type": "input_audio", "input_audio": {"data": part.data, "format": _SOUNDS[part.media_type]}}
        if part.data is not None and part.media_type == "application/pdf":
            return {"type": "file", "file": {"filename": part.name or "document.pdf", "file_data": address}}
    return {"type": "text", "text": losses.media_as_text(message, part)}


def _write_rest(message: Message, losses: Losses) -> Json | None:
    """What a message says beside the outputs of tools."""
    role = {Role.SYSTEM: "system", Role.ASSISTANT: "assistant"}.get(message.role, "user")
    others = [part for part in message.parts if not (isinstance(part, Call | Output) and not part.server)]
    pieces = [piece for part in others if (piece := _write_piece(part, message, losses)) is not None]
    calls = [_write_call(part) for part in message.parts_of(Call) if not part.server]
    out: Json = {"role": role, "content": _content([piece for piece in pieces if not _is_beside(piece)])}
    for beside in filter(_is_beside, [*pieces, *calls]):
        out |= beside
    if listed := [call for call in calls if not _is_beside(call)]:
        out["tool_calls"] = listed
    return out if out["content"] is not None or len(out) > 2 else None


def _is_beside(piece: Any) -> bool:
    return isinstance(piece, dict) and len(piece) == 1 and not piece.keys().isdisjoint((*_BESIDE, *_WHOLE))


def _content(pieces: list[Any]) -> Any:
    """One plain text is a text, as every server takes it; nothing is null."""
    if len(pieces) == 1 and isinstance(pieces[0], dict) and pieces[0].keys() == {"type", "text"}:
        return pieces[0]["text"]
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return pieces[0]
    return [{"type": "text", "text": piece} if isinstance(piece, str) else piece for piece in pieces] or None


def write_message(message: Message, losses: Losses) -> list[Json]:
    """A message, or several: each output of a tool is one of its own here, before all other content."""
    wire = message.wire
    if wire is not None and wire.format == NAME and read_message(wire.data).parts == message.parts:
        return [dict(wire.data)]
    outputs = [part for part in message.outputs if not part.server]
    out = [_write_output(part, message, losses) for part in outputs]
    rest = _write_rest(message, losses) if len(outputs) < len(message.parts) else None
    return out + ([rest] if rest is not None else [])


def _join_additions(messages: Sequence[Message]) -> list[Message]:
    """What Clew adds to a person's words is one message with them: templates of local models want users and assistants
    in turns."""
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last and _is_said(last) and _is_said(message) and (_is_added(last) or _is_added(message)):
            joined[-1] = replace(message, parts=(*last.parts, *message.parts), wire=None)
        else:
            joined.append(message)
    return joined


def _is_said(message: Message) -> bool:
    return message.role is Role.USER and not message.outputs


def _is_added(message: Message) -> bool:
    return message.origin is Origin.CLEW and not message.number


class OpenAIChat(ProviderCodec):
    """Codec and encoder of the Chat Completions API."""

    name = NAME

    def read_data(self, data: Json) -> Record:
        if "role" not in data and isinstance(data.get("choices"), list):
            return Record(key=text_or_none(data.get("id")) or "", message=read_response(data))
        if (system := system_of(data)) is not None:
            data = {"role": "system", "content": system}
        return Record(key=text_or_none(data.get("id")) or "", message=read_message(data))

    def system_body(self, system: Any) -> bytes:
        """The record of a system prompt that a caller hands over beside the messages."""
        return jsonio.dumps({"role": "system", "content": system})

    def write_body(self, messages: Sequence[Message], losses: Losses) -> Json:
        messages = with_legal_ids(_join_additions(messages), _IDS, lambda part: _same(part) is not None)
        return {"messages": [data for message in messages for data in write_message(message, losses)]}
