"""The OpenAI Responses API: requests in and out.

A request is a list of items. What came as items leaves as the same items, also after a run of them was
folded into one message: each part's wire tells which item, or which piece of the item before, it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from clew.codecs import jsonio
from clew.codecs.documents import system_of
from clew.codecs.fields import text_or_none
from clew.codecs.providers.conversion import (
    address_of,
    is_unchanged,
    own_wire,
    text_inside,
    unknown_fields,
    with_legal_ids,
    with_status_line,
    write_arguments,
)
from clew.codecs.providers.losses import Losses, flat_text
from clew.codecs.providers.provider_codec import ProviderCodec
from clew.codecs.providers.responses_items import CALLS, NAME, PIECE, is_of_reply, read_item, read_piece, read_response
from clew.domain.messages import Message, Origin, Role
from clew.domain.parts import Call, Json, Media, Output, Part, Status, Text, Wire
from clew.domain.records import Record

_IDS = re.compile(r".{1,64}", re.DOTALL)
_ROLES = {Role.ASSISTANT: "assistant", Role.SYSTEM: "developer"}


#: Calls whose outputs are of a kind of their own; all others are answered as functions are.
_ANSWERS = {"custom_tool_call", "shell_call", "apply_patch_call", "computer_call"}


# ── items as they came ───────────────────────────────────────────────────────────────────────────────


def _begins_item(part: Part) -> bool:
    return part.wire is not None and part.wire.format == NAME


def _parts_as_they_came(parts: Sequence[Part], index: int) -> int:
    """How many of the parts, from ``at``, are one item as it came; 0 when none begins there unchanged."""
    wire = parts[index].wire
    if wire is None or wire.format != NAME:
        return 0
    whole = read_item(wire.data).parts
    here = parts[index : index + len(whole)]
    return len(whole) if len(here) == len(whole) and all(map(is_unchanged, whole, here)) else 0


def _is_as_it_came(part: Part) -> bool:
    return _parts_as_they_came((part,), 0) == 1


# ── items made anew ──────────────────────────────────────────────────────────────────────────────────


def write_message(message: Message, losses: Losses, kinds: dict[str, str]) -> Iterator[Any]:
    """The items of a message; ``kinds`` has the kind of each call by its id, for outputs made here."""
    parts, index = message.parts, 0
    while index < len(parts):
        count = _parts_as_they_came(parts, index)
        wire = parts[index].wire
        if count and wire is not None:
            yield wire.data
        elif _is_content(parts[index]):
            count = _content_run(parts, index)
            yield from _write_content(message, parts[index : index + count], losses)
        else:
            yield from _write_single(parts[index], message, losses, kinds)
        index += count or 1


def _is_content(part: Part) -> bool:
    return isinstance(part, Text | Media) or (part.wire is not None and part.wire.format == PIECE)


def _content_run(parts: Sequence[Part], index: int) -> int:
    """Content up to the next part that is none, or that begins an item of its own."""
    end = index + 1
    while end < len(parts) and _is_content(parts[end]) and not _begins_item(parts[end]):
        end += 1
    return end - index


def _write_content(message: Message, parts: Sequence[Part], losses: Losses) -> Iterator[Json]:
    """One message item; where it was one before, it keeps its id and what else it had."""
    old = own_wire(parts[0], NAME)
    pieces = [_write_piece(part, message, losses) for part in parts]
    if isinstance(old.get("content"), str) and len(parts) == 1 and isinstance(parts[0], Text):
        yield old | {"content": parts[0].text}
    elif "role" in old:
        yield old | {"content": pieces}
    else:
        yield {"type": "message", "role": _ROLES.get(message.role, "user"), "content": pieces}


def _write_piece(part: Part, message: Message, losses: Losses) -> Any:
    old = _old_piece(part)
    if isinstance(part, Text):
        if isinstance(old, dict) and _text_of(old) == part.text:
            return old
        kind = "output_text" if message.role is Role.ASSISTANT else "input_text"
        piece = old if isinstance(old, dict) and old.get("type") == kind else {"type": kind}
        return piece | {"text": part.text}
    if isinstance(part, Media) and old is None:
        return _write_media(part, message, losses)
    return old


def _old_piece(part: Part) -> Any:
    """The piece that a part came as: its own, or the first of the item that it carries."""
    if part.wire is not None and part.wire.format == PIECE:
        return part.wire.data
    content = own_wire(part, NAME).get("content")
    return content[0] if isinstance(content, list) and content else None


def _text_of(piece: Json) -> str | None:
    part = read_piece(piece)
    return part.text if isinstance(part, Text) else None


def _write_media(part: Media, message: Message, losses: Losses) -> Json:
    text, address = text_inside(part), address_of(part)
    if message.role is Role.ASSISTANT:
        return {"type": "output_text", "text": text if text is not None else losses.media_as_text(message, part)}
    if text is not None:
        return {"type": "input_text", "text": text}
    if address is not None and part.media_type.startswith("image"):
        return {"type": "input_image", "image_url": address}
    if part.data is not None and part.media_type == "application/pdf":
        return {"type": "input_file", "filename": part.name or "document.pdf", "file_data": address}
    if part.url is not None and part.url.startswith("https:") and not part.media_type.startswith(("audio", "video")):
        return {"type": "input_file", "file_url": part.url}
    return {"type": "input_text", "text": losses.media_as_text(message, part)}


def _write_single(part: Part, message: Message, losses: Losses, kinds: dict[str, str]) -> Iterator[Json]:
    match part:
        case Call(server=False):
            yield _write_call(part)
        case Output(server=False):
            yield _write_output(part, message, losses, kinds)
        case _:
            losses.add_part(message, part)


def _write_call(part: Call) -> Json:
    old = own_wire(part, NAME)
    kind = old.get("type", "function_call")
    field, _ = CALLS[kind]
    if kind != "function_call":
        return old | {"call_id": part.id, field: part.arguments}
    text = part.arguments if old and isinstance(part.arguments, str) else write_arguments(part.arguments)
    item = {"type": kind, "call_id": part.id, "name": part.name, "arguments": text}
    return item | unknown_fields(part, NAME, tuple(item))


def _write_output(part: Output, message: Message, losses: Losses, kinds: dict[str, str]) -> Json:
    old = own_wire(part, NAME)
    kind = old.get("type") or f"{kinds.get(part.call_id, 'function_call')}_output"
    item = {"type": kind, "call_id": part.call_id, **_output_fields(kind, part, message, losses)}
    return item | unknown_fields(part, NAME, tuple(item))


def _output_fields(kind: str, part: Output, message: Message, losses: Losses) -> Json:
    """How each kind of output says what came of the call. Kinds without a field for it tell in a first line."""
    failed = part.status is not Status.SUCCESS
    if kind == "shell_call_output":
        outcome = {"type": "exit", "exit_code": int(failed)}
        return {"output": [{"stdout": flat_text(part.content), "stderr": "", "outcome": outcome}]}
    if kind == "apply_patch_call_output":
        return {"status": "failed" if failed else "completed", "output": flat_text(part.content)}
    content = with_status_line(part.content, _status_to_tell(part))
    if kind == "computer_call_output" and (shots := [part for part in content if isinstance(part, Media)]):
        return {"output": {"type": "computer_screenshot", "image_url": address_of(shots[-1])}}
    if len(content) == 1 and isinstance(content[0], Text):
        return {"output": content[0].text}
    return {"output": list(_output_pieces(content, message, losses)) or ""}


def _status_to_tell(part: Output) -> Status:
    """Of an output that came in this format, the text tells what there is to tell."""
    came = read_item(own_wire(part, NAME)).outputs if own_wire(part, NAME) else (part,)
    return came[0].status if came else part.status


def _output_pieces(content: Sequence[Part], message: Message, losses: Losses) -> Iterator[Any]:
    for part in content:
        if not _is_content(part):
            losses.add_part(message, part)
            continue
        piece = _write_piece(part, message, losses)
        yield {"type": "input_text", "text": piece} if isinstance(piece, str) else piece


# ── requests ─────────────────────────────────────────────────────────────────────────────────────────


def _leading_system(messages: Sequence[Message]) -> int:
    """System messages that become the instructions: those before all others that did not come as items."""
    kept = (
        index
        for index, message in enumerate(messages)
        if message.role is not Role.SYSTEM or any(map(_begins_item, message.parts))
    )
    return next(kept, len(messages))


def _instructions(messages: Sequence[Message]) -> Any:
    wire = messages[0].wire
    if len(messages) == 1 and wire is not None and wire.format == NAME and _read_system(wire.data) == messages[0].parts:
        return system_of(wire.data)
    return "\n\n".join(message.text for message in messages)


def _read_system(data: Json) -> tuple[Part, ...]:
    system = system_of(data)
    if isinstance(system, str):
        return (Text(text=system),)
    if system and not isinstance(system, list | dict):
        raise ValueError(f"no instructions of the Responses API: {system!r}")
    return tuple(map(read_piece, system or ()))


def _kinds_of_calls(messages: Sequence[Message]) -> dict[str, str]:
    kinds = ((call.id, own_wire(call, NAME).get("type")) for message in messages for call in message.calls)
    return {id: kind for id, kind in kinds if kind in _ANSWERS}


class OpenAIResponses(ProviderCodec):
    """Codec and encoder of the Responses API."""

    name = NAME

    def load(self, body: bytes) -> Any:
        return jsonio.loads(body)

    def read_data(self, data: Any) -> Record:
        if isinstance(data, dict) and "type" not in data and "role" not in data:
            return _read_response(data) if isinstance(data.get("output"), list) else _read_around(data)
        message = read_item(data)
        key = text_or_none(data.get("id")) if isinstance(data, dict) else None
        return Record(key=key or "", message=message, joins=is_of_reply(message))

    def system_body(self, system: Any) -> bytes:
        """The record of a system prompt that a caller hands over beside the messages."""
        return jsonio.dumps({"instructions": system})

    def write_body(self, messages: Sequence[Message], losses: Losses) -> Json:
        messages = with_legal_ids(messages, _IDS, _is_as_it_came)
        leading, kinds = _leading_system(messages), _kinds_of_calls(messages)
        items = [item for message in messages[leading:] for item in write_message(message, losses, kinds)]
        body: Json = {}
        if leading and (instructions := _instructions(messages[:leading])):
            body["instructions"] = instructions
        body["input"] = items[0] if len(items) == 1 and isinstance(items[0], str) else _as_items(items)
        return body


def _as_items(items: Sequence[Any]) -> list[Json]:
    return [{"role": "user", "content": item} if isinstance(item, str) else item for item in items]


def _read_response(data: Json) -> Record:
    return Record(key=text_or_none(data.get("id")) or "", message=read_response(data))


def _read_around(data: Json) -> Record:
    """What stands beside the input: the instructions."""
    if system_of(data) is None:
        raise ValueError("no item of the Responses API: it has neither type nor role")
    parts = _read_system(data)
    return Record(key="", message=Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=parts, wire=Wire(NAME, data)))
