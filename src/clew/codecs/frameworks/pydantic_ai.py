"""Messages of Pydantic AI: requests and responses of parts, as its objects have them and as it dumps them.

A request may hold the words of several: the system prompt, the user, tools. Each is a message of its own here.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import Any

from clew.codecs import jsonio
from clew.codecs.fields import count_of, object_of, parse_timestamp, text_of, text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks
from clew.codecs.providers.conversion import read_arguments
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire

NAME = "pydantic-ai"
_URLS = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "video",
    "document-url": "application/octet-stream",
}
#: Members of a part or piece that what is made of it here says as well; any other is kept with its wire.
_SAID = {
    "text": {"part_kind", "content"},
    "thinking": {"part_kind", "content"},
    "tool-call": {"part_kind", "tool_name", "args", "tool_call_id"},
    "text-content": {"kind", "content"},
    "binary": {"kind", "data", "media_type"},
} | {kind: {"kind", "url", "media_type"} for kind in _URLS}
_PIECES = {"binary", "text-content", "structured-content", "uploaded-file", *_URLS}
_NO_DOWNLOAD = {"force_download": False}
_FAILED = {"failed", "error", "retried", "denied"}


def is_message(data: Json) -> bool:
    """True for a request or response of Pydantic AI."""
    return data.get("kind") in ("request", "response") and isinstance(data.get("parts"), list) and "role" not in data


def instructions(data: Json) -> str | None:
    """The instructions of a request: they hold for the run, in place of those of earlier requests."""
    return text_or_none(data.get("instructions")) or None


def read_messages(data: Json) -> list[Message]:
    """The messages of a request, in order, or the one of a response; ValueError for a part that is no object."""
    parts = data["parts"]
    if data["kind"] == "response":
        return [_response(data, tuple(one for part in parts for one in _read_part(part)))]
    runs = ((role, list(run)) for role, run in groupby(parts, key=_role))
    return [_message(role, run, data.get("timestamp")) for role, run in runs if role is not None]


def _role(part: Any) -> Role | None:
    """Who speaks in a part of a request; None for what the framework notes for itself."""
    kind = _kind(part)
    if kind in {"tool-return", "retry-prompt"} and part.get("tool_name"):
        return Role.TOOL
    if kind in {"user-prompt", "speech", "retry-prompt", "retry-feedback"}:
        return Role.USER
    return Role.SYSTEM if kind == "system-prompt" else None


def _kind(part: Any) -> str:
    if not isinstance(part, dict):
        raise ValueError(f"a part of Pydantic AI is a {type(part).__name__}")
    return text_of(part, "part_kind")


def _message(role: Role, run: list[Json], at: Any) -> Message:
    parts = tuple(one for part in run for one in _read_part(part))
    told = any(_kind(part).startswith("retry") for part in run)
    origin = Origin.CLIENT if told and role is Role.USER else origin_of(role, parts)
    return Message(role=role, parts=parts, origin=origin, at=parse_timestamp(run[0].get("timestamp") or at))


def _response(data: Json, parts: tuple[Part, ...]) -> Message:
    return Message(
        role=Role.ASSISTANT,
        parts=parts,
        origin=Origin.MODEL,
        at=parse_timestamp(data.get("timestamp")),
        model=text_or_none(data.get("model_name")),
        usage=_usage(object_of(data, "usage")),
        stop_reason=text_or_none(data.get("finish_reason")),
    )


def _read_part(part: Any) -> tuple[Part, ...]:
    kind = _kind(part)
    match kind:
        case "text":
            return tuple(replace(one, wire=_wire(part, kind)) for one in _content(part.get("content")))
        case "thinking":
            return (_reasoning(part),)
        case "tool-call":
            return (_call(part, wire=_wire(part, kind)),)
        case "builtin-tool-call":
            return (replace(_call(part, wire=Wire(NAME, part)), server=True),)
        case "tool-return":
            return (_output(part),)
        case "builtin-tool-return":
            return (replace(_output(part), server=True, wire=Wire(NAME, part)),)
        case "retry-prompt" if part.get("tool_name"):
            return (_output(part | {"outcome": "retried"}),)
        case "user-prompt" | "system-prompt" | "retry-prompt" | "retry-feedback" | "file":
            return _content(part.get("content"))
        case "speech":
            return _content(part.get("transcript"))
    return (Opaque(kind=kind, wire=Wire(NAME, part)),)


def _content(content: Any) -> tuple[Part, ...]:
    if content is None or content == "":
        return ()
    pieces = content if isinstance(content, list) else [content]
    return tuple(part for piece in pieces if (part := _piece(piece)) is not None)


def _piece(piece: Any) -> Part | None:
    """A text, a medium, or any value that a tool has returned."""
    if isinstance(piece, str):
        return Text(text=piece)
    kind = text_of(piece, "kind") if isinstance(piece, dict) else ""
    if kind == "cache-point":
        return None
    if kind in {"text-content", "structured-content"}:
        return Text(text=text_of(piece, "content"), wire=_wire(piece, kind))
    if kind == "binary" and isinstance(piece.get("data"), str):
        media_type = text_of(piece, "media_type") or "application/octet-stream"
        return Media(media_type=media_type, data=piece["data"], wire=_wire(piece, kind))
    if kind in _URLS and isinstance(piece.get("url"), str):
        return Media(media_type=_media_type(piece) or _URLS[kind], url=piece["url"], wire=_wire(piece, kind))
    if kind == "uploaded-file":
        return Opaque(kind=kind, wire=Wire(NAME, piece))
    return Text(text=_as_text(piece))


def _media_type(piece: Json) -> str:
    return text_of(piece, "media_type") or text_of(piece, "_media_type")


def _wire(data: Json, kind: str) -> Wire | None:
    """The part or piece itself, where it says more than what is made of it."""
    told = {name for name, value in data.items() if value is not None and _NO_DOWNLOAD.get(name) != value}
    return Wire(NAME, data) if told - _SAID.get(kind, set()) else None


def _as_text(value: Any) -> str:
    try:
        return jsonio.dumps(value).decode("utf-8")
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _reasoning(part: Json) -> Part:
    """A thought; of one that Anthropic has signed, the block as its API had it."""
    text, seal = text_of(part, "content"), text_or_none(part.get("signature"))
    if seal is None or part.get("provider_name") != "anthropic":
        return Reasoning(text=text, seal=seal, wire=_wire(part, "thinking"))
    return anthropic_blocks.read_part({"type": "thinking", "thinking": text, "signature": seal})


def _call(part: Json, *, wire: Wire | None) -> Call:
    name = text_of(part, "tool_name")
    id = text_of(part, "tool_call_id") or name
    return Call(id=id, name=name, arguments=read_arguments(part.get("args")), wire=wire)


def _output(part: Json) -> Output:
    name = text_of(part, "tool_name")
    content = part.get("content")
    is_pieces = isinstance(content, list) and any(map(_is_piece, content))
    return Output(
        call_id=text_of(part, "tool_call_id") or name,
        content=_content(content) if is_pieces or not isinstance(content, list) else (Text(text=_as_text(content)),),
        status=Status.FAILED if text_of(part, "outcome") in _FAILED else Status.SUCCESS,
        name=name,
    )


def _is_piece(value: Any) -> bool:
    return isinstance(value, dict) and text_of(value, "kind") in _PIECES


def _usage(counts: Json) -> Usage | None:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    usage = Usage(*(count_of(counts, name) for name in names))
    return usage if usage != Usage() else None
