"""The Anthropic Messages API: requests in and out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.common import Losses, extras_of, named_media, wire_of
from clew.codecs.documents import conversations
from clew.domain import (
    Call,
    Json,
    Media,
    Message,
    Opaque,
    Origin,
    Output,
    Part,
    Reasoning,
    Record,
    Role,
    Skipped,
    Status,
    Text,
    Tool,
    Usage,
    Wire,
)
from clew.ports import RawRecord, Request

NAME = "anthropic"


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def read_part(block: Any) -> Part:
    """One content block; what is not modelled stays opaque and whole."""
    if isinstance(block, str):
        return Text(text=block, wire=Wire(NAME, block))
    if not isinstance(block, dict):
        return Opaque(kind=type(block).__name__, wire=Wire(NAME, block))
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is None and isinstance(kind, str) and kind.endswith("_tool_result"):
        reader = _server_output
    try:
        return reader(block) if reader else _opaque(block)
    except (KeyError, TypeError):
        return _opaque(block)


def _opaque(block: Json) -> Part:
    return Opaque(kind=str(block.get("type", "")), wire=Wire(NAME, block))


def _text(block: Json) -> Part:
    return Text(text=_string(block["text"]), wire=Wire(NAME, block))


def _call(block: Json) -> Part:
    return Call(id=_string(block["id"]), name=_string(block["name"]), arguments=block["input"], wire=Wire(NAME, block))


def _server_call(block: Json) -> Part:
    return Call(
        id=_string(block["id"]),
        name=_string(block["name"]),
        arguments=block.get("input"),
        server=True,
        wire=Wire(NAME, block),
    )


def _output(block: Json) -> Part:
    status = Status.FAILED if block.get("is_error") else Status.SUCCESS
    content = read_content(block.get("content"))
    return Output(call_id=_string(block["tool_use_id"]), content=content, status=status, wire=Wire(NAME, block))


def _server_output(block: Json) -> Part:
    content = (Opaque(kind=str(block["type"]), wire=Wire(NAME, block.get("content"))),)
    return Output(call_id=_string(block["tool_use_id"]), content=content, server=True, wire=Wire(NAME, block))


def _thinking(block: Json) -> Part:
    return Reasoning(text=_string(block["thinking"]), seal=block.get("signature"), wire=Wire(NAME, block))


def _redacted(block: Json) -> Part:
    return Reasoning(seal=_string(block["data"]), wire=Wire(NAME, block))


def _media(block: Json) -> Part:
    source = block["source"]
    kind = source.get("type")
    if kind not in {"base64", "url", "text"}:
        return _opaque(block)
    return Media(
        media_type=source.get("media_type") or str(block["type"]),
        data=source.get("data"),
        url=source.get("url"),
        name=block.get("title"),
        wire=Wire(NAME, block),
    )


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("expected text")
    return value


_READERS: dict[str, Callable[[Json], Part]] = {
    "text": _text,
    "tool_use": _call,
    "server_tool_use": _server_call,
    "mcp_tool_use": _server_call,
    "tool_result": _output,
    "thinking": _thinking,
    "redacted_thinking": _redacted,
    "image": _media,
    "document": _media,
}


def read_content(content: Any) -> tuple[Part, ...]:
    """Content as the API allows it: nothing, a string, or a list of blocks."""
    if content is None:
        return ()
    return tuple(read_part(block) for block in (content if isinstance(content, list) else [content]))


def read_usage(usage: Any) -> Usage | None:
    """Usage with cached tokens counted as input, as they fill the window all the same."""
    if not isinstance(usage, dict) or not isinstance(usage.get("input_tokens"), int):
        return None
    read, write = (usage.get(f"cache_{kind}_input_tokens") or 0 for kind in ("read", "creation"))
    return Usage(usage["input_tokens"] + read + write, usage.get("output_tokens") or 0, read, write)


def origin_of(role: Role, parts: Sequence[Part]) -> Origin:
    """Whose words a message holds, where its format says no more than the role."""
    if role is Role.USER and parts and all(isinstance(part, Output) for part in parts):
        return Origin.TOOL
    return {Role.SYSTEM: Origin.SYSTEM, Role.ASSISTANT: Origin.MODEL, Role.TOOL: Origin.TOOL}.get(role, Origin.PERSON)


def read_message(data: Json) -> Message:
    role = data.get("role")
    if role not in {"user", "assistant", "system"}:
        raise ValueError(f"no role of the Messages API: {role!r}")
    parts = read_content(data.get("content"))
    return Message(
        role=Role(role),
        parts=parts,
        origin=origin_of(Role(role), parts),
        model=data.get("model") if isinstance(data.get("model"), str) else None,
        usage=read_usage(data.get("usage")),
        wire=Wire(NAME, data),
    )


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_part(part: Part, message: Message, losses: Losses) -> Any | None:
    """The block, or None when this API has no way to say it; ``losses`` then tells."""
    same = wire_of(part, NAME, read_part)
    if same is not None:
        return same
    match part:
        case Text():
            return extras_of(part, NAME, ("type", "text")) | {"type": "text", "text": part.text}
        case Call(server=False):
            arguments = part.arguments if isinstance(part.arguments, dict) else {"input": part.arguments}
            known = {"type": "tool_use", "id": part.id, "name": part.name, "input": arguments}
            return known | extras_of(part, NAME, tuple(known))
        case Output(server=False):
            return _write_output(part, message, losses)
        case Media():
            return _write_media(part)
        case Reasoning():
            losses.add(message, "reasoning of another provider")
        case _:
            losses.add(message, f"a {_kind(part)} block of another provider")
    return None


def _kind(part: Part) -> str:
    return part.kind if isinstance(part, Opaque) else type(part).__name__.lower()


def _write_output(part: Output, message: Message, losses: Losses) -> Json:
    blocks = [block for inner in part.content if (block := write_part(inner, message, losses)) is not None]
    plain = len(blocks) == 1 and isinstance(part.content[0], Text) and blocks[0].keys() == {"type", "text"}
    known: Json = {
        "type": "tool_result",
        "tool_use_id": part.call_id,
        "content": blocks[0]["text"] if plain else blocks,
    }
    if part.status is not Status.SUCCESS:
        known["is_error"] = True
    return known | extras_of(part, NAME, (*known, "is_error"))


def _write_media(part: Media) -> Json:
    kind = "image" if part.media_type.startswith("image") else "document"
    if part.data is not None and kind == "image":
        return {"type": kind, "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}
    if part.data is not None and part.media_type == "application/pdf":
        return {"type": kind, "source": {"type": "base64", "media_type": part.media_type, "data": part.data}}
    if part.url is not None and part.url.startswith("https:"):
        return {"type": kind, "source": {"type": "url", "url": part.url}}
    return {"type": "text", "text": named_media(part)}


def _role(message: Message) -> str:
    return "assistant" if message.role is Role.ASSISTANT else "user"


def write_message(message: Message, losses: Losses) -> Json | None:
    wire = message.wire
    if wire is not None and wire.format == NAME and read_message(wire.data).parts == message.parts:
        return dict(wire.data)
    blocks = [block for part in message.parts if (block := write_part(part, message, losses)) is not None]
    return {"role": _role(message), "content": blocks} if blocks else None


def _continues_outputs(before: Json, message: Message) -> bool:
    """Outputs of one step may come as several messages; this API wants them in one."""
    content = before["content"]
    return (
        bool(message.outputs)
        and before["role"] == "user"
        and isinstance(content, list)
        and any(isinstance(block, dict) and block.get("type") == "tool_result" for block in content)
    )


class Anthropic:
    """Codec and encoder of the Messages API."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        return False

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | Skipped]:
        return conversations(stream, ("messages",))

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        if "role" not in data and isinstance(data.get("tools"), list):
            return Record(key="", tools=tuple(read_tool(tool) for tool in data["tools"] if isinstance(tool, dict)))
        key = data["id"] if isinstance(data.get("id"), str) else ""
        return Record(key=key, group=key, message=read_message(data))

    def encode(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Request:
        losses = Losses()
        out: list[Json] = []
        leading = _leading_system(messages)
        for message in messages[leading:]:
            data = write_message(message, losses)
            if data is None:
                continue
            if out and _continues_outputs(out[-1], message):
                out[-1] = out[-1] | {"content": out[-1]["content"] + data["content"]}
            else:
                out.append(data)
        body: Json = {"messages": out}
        if leading:
            body["system"] = _write_system(messages[:leading], losses)
        if tools:
            body["tools"] = [write_tool(tool) for tool in tools]
        return Request(body, tuple(losses.found))


def read_tool(data: Json) -> Tool:
    schema = data.get("input_schema")
    return Tool(
        name=str(data.get("name", "")),
        description=str(data.get("description", "")),
        schema=schema if isinstance(schema, dict) else {},
        wire=Wire(NAME, data),
    )


def write_tool(tool: Tool) -> Json:
    if tool.wire is not None and tool.wire.format == NAME and read_tool(tool.wire.data) == tool:
        return dict(tool.wire.data)
    return {"name": tool.name, "description": tool.description, "input_schema": tool.schema or {"type": "object"}}


def _leading_system(messages: Sequence[Message]) -> int:
    return next((at for at, message in enumerate(messages) if message.role is not Role.SYSTEM), len(messages))


def _write_system(messages: Sequence[Message], losses: Losses) -> Any:
    if len(messages) == 1 and messages[0].wire is not None and messages[0].wire.format == NAME:
        return messages[0].wire.data["content"]
    return [block for message in messages for part in message.parts if (block := write_part(part, message, losses))]
