"""Items of the OpenAI Responses API, as its requests and Codex's session files have them.

An item is read into a message of its own. A run of items of the assistant is folded into one message
later, so every part carries the way back: the first part of an item has the whole item as its wire, and
the further pieces of a message item have their own piece, under a format name that tells them apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from clew.codecs import jsonio
from clew.codecs.fields import count_of, expect_text, object_of, text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers.conversion import media_at, read_arguments, read_status_line
from clew.codecs.streams.pieces import is_interrupted
from clew.domain import Call, Json, Message, Opaque, Output, Part, Reasoning, Role, Status, Text, Usage, Wire

NAME = "openai-responses"
PIECE = "openai-responses/piece"

#: Calls that the client answers: the field with their arguments, and their name where they have none.
CALLS: dict[str, tuple[str, str | None]] = {
    "function_call": ("arguments", None),
    "custom_tool_call": ("input", None),
    "local_shell_call": ("action", "local_shell"),
    "shell_call": ("action", "shell"),
    "computer_call": ("action", "computer"),
    "apply_patch_call": ("operation", "apply_patch"),
}
#: Items that the user's side gives; all others are the assistant's.
_OF_USER = {"mcp_approval_response"}
_ROLES = {
    "user": Role.USER,
    "assistant": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
}


def read_item(item: Any) -> Message:
    """The message that an item makes by itself; ValueError for what is no item."""
    if isinstance(item, str):
        return _message(Role.USER, (Text(text=item, wire=Wire(NAME, item)),))
    if not isinstance(item, dict) or ("type" not in item and "role" not in item):
        raise ValueError("no item of the Responses API: it has neither type nor role")
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        raise ValueError(f"no type of the Responses API: {kind!r}")
    if kind == "message":
        return _read_message(item)
    role = Role.TOOL if is_output(kind) else Role.USER if kind in _OF_USER else Role.ASSISTANT
    return _message(role, (_read_single(item, kind),))


def read_response(data: Json) -> Message:
    """The reply in a whole response: one message of all the items in its output. ValueError for what is no item."""
    parts = tuple(part for item in data["output"] for part in read_item(item).parts)
    return replace(
        _message(Role.ASSISTANT, parts),
        model=text_or_none(data.get("model")),
        usage=_usage(object_of(data, "usage")),
        interrupted=is_interrupted(data),
        stop_reason=_stop_reason(data),
    )


def _stop_reason(data: Json) -> str | None:
    """Why a response is incomplete, else how it ended."""
    return text_or_none(object_of(data, "incomplete_details").get("reason")) or text_or_none(data.get("status"))


def _usage(counts: Json) -> Usage | None:
    if not isinstance(counts.get("input_tokens"), int):
        return None
    cached = count_of(object_of(counts, "input_tokens_details"), "cached_tokens")
    return Usage(counts["input_tokens"], count_of(counts, "output_tokens"), cached)


def is_of_reply(message: Message) -> bool:
    """True for items that go on with the reply before them."""
    return message.role is Role.ASSISTANT


def _message(role: Role, parts: tuple[Part, ...]) -> Message:
    return Message(role=role, parts=parts, origin=origin_of(role, parts))


def is_output(kind: str) -> bool:
    """True for the kind of an item that answers a call of the client's."""
    return kind.endswith("_output") and kind.removesuffix("_output") in CALLS


def _read_message(item: Json) -> Message:
    role = _ROLES.get(item["role"]) if isinstance(item.get("role"), str) else None
    if role is None:
        raise ValueError(f"no role of the Responses API: {item.get('role')!r}")
    content = item.get("content")
    pieces = content if isinstance(content, list) else [content] if content is not None else []
    # An empty message has one part all the same, or it would be gone once it is folded into another.
    first, *rest = [read_piece(piece) for piece in pieces] or [Opaque(kind="message")]
    return _message(role, (replace(first, wire=Wire(NAME, item)), *rest))


def read_piece(piece: Any) -> Part:
    """A piece of a message's content, or of an output's."""
    wire = Wire(PIECE, piece)
    if isinstance(piece, str):
        return Text(text=piece, wire=wire)
    if not isinstance(piece, dict):
        return Opaque(kind=type(piece).__name__, wire=wire)
    try:
        return _read_known(piece, wire)
    except (KeyError, TypeError):
        return Opaque(kind=str(piece.get("type", "")), wire=wire)


def is_malformed(data: Any, format: str) -> bool:
    """True for what is no item or piece at all, and for one of a kind that is read here which lacks what it has."""
    if not isinstance(data, dict):
        return True
    kind = data.get("type", "message")
    try:
        if format == PIECE:
            _read_known(data, Wire(PIECE, data))
        elif reader := _READERS.get(kind):
            reader(data)
    except (KeyError, TypeError):
        return True
    if format == NAME and kind == "message":
        content = data.get("content")
        return bool(content) and is_malformed(content[0] if isinstance(content, list) else content, PIECE)
    return "type" not in data


def _read_known(piece: Json, wire: Wire) -> Part:
    match piece.get("type"):
        case "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text":
            return Text(text=expect_text(piece["text"]), wire=wire)
        case "refusal":
            return Text(text=expect_text(piece["refusal"]), wire=wire)
        case "input_image" | "computer_screenshot" | "input_file" if isinstance(piece.get("file_id"), str):
            return Opaque(kind=piece["type"], wire=wire)  # its content is with the provider
        case "input_image" | "computer_screenshot":
            return media_at(expect_text(piece["image_url"]), kind="image", wire=wire)
        case "input_file":
            name = text_or_none(piece.get("filename"))
            where = piece["file_url"] if isinstance(piece.get("file_url"), str) else piece["file_data"]
            return media_at(expect_text(where), kind="application/pdf", name=name, wire=wire)
    return Opaque(kind=str(piece.get("type", "")), wire=wire)


def _read_single(item: Json, kind: str) -> Part:
    """An item that is one part; what is not modelled, or not as it should be, stays opaque and whole."""
    reader = _READERS.get(kind)
    try:
        part = reader(item) if reader else Opaque(kind=kind)
    except (KeyError, TypeError):
        part = Opaque(kind=kind)
    return replace(part, wire=Wire(NAME, item))


def _id(item: Json) -> str:
    """Calls and outputs share the call id; older local shells knew only the id of the item."""
    call_id = item.get("call_id")
    return expect_text(item["id"] if call_id is None else call_id)


def _read_call(item: Json) -> Part:
    field, name = CALLS[item["type"]]
    value = item.get("actions") if field == "action" and "action" not in item else item[field]
    arguments = read_arguments(value) if item["type"] == "function_call" else value
    return Call(id=_id(item), name=name or expect_text(item["name"]), arguments=arguments)


def _read_output(item: Json) -> Part:
    content, status = read_status_line(read_output_content(item.get("output")))
    if item.get("status") == "failed":
        status = Status.FAILED
    return Output(call_id=_id(item), content=content, status=status, name=text_or_none(item.get("name")))


def read_output_content(output: Any) -> tuple[Part, ...]:
    """A text, pieces, a screenshot, or what a shell gave; None is nothing."""
    if output is None:
        return ()
    return tuple(_read_given(piece) for piece in (output if isinstance(output, list) else [output]))


def _read_given(piece: Any) -> Part:
    if isinstance(piece, dict) and "stdout" in piece:
        printed = (piece.get("stdout"), piece.get("stderr"))
        return Text(text="\n".join(text for text in printed if isinstance(text, str) and text), wire=Wire(PIECE, piece))
    part = read_piece(piece)
    if isinstance(part, Opaque) and isinstance(piece, dict) and "type" not in piece:
        return Text(text=jsonio.dumps(piece).decode("utf-8"), wire=Wire(PIECE, piece))
    return part


def _read_reasoning(item: Json) -> Part:
    pieces = [*(item.get("summary") or []), *(item.get("content") or [])]
    texts = [part.text for part in map(read_piece, pieces) if isinstance(part, Text)]
    return Reasoning(text="\n".join(texts), seal=text_or_none(item.get("encrypted_content")))


_READERS: dict[str, Callable[[Json], Part]] = {
    **dict.fromkeys(CALLS, _read_call),
    **dict.fromkeys((f"{kind}_output" for kind in CALLS), _read_output),
    "reasoning": _read_reasoning,
}
