"""Messages of LangChain: ``model_dump()`` of a message, ``messages_to_dict`` and ``dumpd``.

Content may hold the blocks of any provider, or LangChain's own. Calls stand beside it, and sometimes in it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from clew.codecs.fields import count_of, expect_text, list_of, object_of, text_of, text_or_none
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks, openai_chat, responses_items
from clew.codecs.providers.conversion import read_arguments
from clew.codecs.streams.pieces import is_interrupted
from clew.domain import Call, Json, Media, Message, Opaque, Output, Part, Reasoning, Role, Status, Text, Usage, Wire

NAME = "langchain"
_ROLES = {
    "human": Role.USER,
    "ai": Role.ASSISTANT,
    "system": Role.SYSTEM,
    "developer": Role.SYSTEM,
    "tool": Role.TOOL,
    "function": Role.TOOL,
}
#: Roles that messages of the type ``chat`` name themselves.
_CHAT_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT} | _ROLES
_CHUNKS = {
    "HumanMessageChunk": "human",
    "AIMessageChunk": "ai",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
    "FunctionMessageChunk": "function",
    "ChatMessageChunk": "chat",
}
#: Where LangChain keeps Gemini's signatures of calls, by their ids, beside the content of a message.
SIGNATURES = "__gemini_function_call_thought_signatures__"
_MEDIA = {"image": "image", "audio": "audio", "video": "video", "file": "application/octet-stream"}
_CHAT_BLOCKS = {"image_url", "input_audio", "refusal"}
#: Formats whose blocks LangChain takes as they are, and those whose pictures each of its models understands.
_TAKEN = {NAME, anthropic_blocks.NAME}
_IMAGES = {anthropic_blocks.NAME, openai_chat.NAME}


def message_fields(data: Json) -> Json | None:
    """The fields of a LangChain message; None for anything else."""
    inner = _inner_fields(data)
    fields = data if inner is None else inner
    kind = _kind(fields)
    if "content" not in fields or kind is None:
        return None
    # Lines of transcripts have types of the same names.
    is_sure = inner is not None or kind in {"human", "ai"} or "additional_kwargs" in fields
    return fields if is_sure else None


def _inner_fields(data: Json) -> Json | None:
    """The fields inside what ``dumpd`` or ``messages_to_dict`` writes."""
    if data.get("lc") == 1 and isinstance(data.get("kwargs"), dict):
        return dict(data["kwargs"])
    if data.keys() == {"type", "data"} and isinstance(data["data"], dict):
        return {"type": data["type"], **data["data"]}
    return None


def read_message(data: Json) -> Message:
    """The message; ValueError for content that is neither text nor a list of blocks."""
    kind = _kind(data)
    role = _CHAT_ROLES.get(text_of(data, "role")) if kind == "chat" else _ROLES.get(kind or "")
    if role is None:
        raise ValueError(f"no message of LangChain: type {data.get('type')!r}, role {data.get('role')!r}")
    parts = (_output(data),) if role is Role.TOOL else _parts(data)
    about = object_of(data, "response_metadata")
    return Message(
        role=role,
        parts=parts,
        origin=origin_of(role, parts),
        model=text_or_none(about.get("model_name")) or text_or_none(about.get("model")),
        usage=_usage(data.get("usage_metadata")),
        stop_reason=text_or_none(about.get("stop_reason")) or text_or_none(about.get("finish_reason")),
        interrupted=is_interrupted(data),
    )


def _kind(data: Json) -> str | None:
    kind = data.get("type")
    if not isinstance(kind, str) or ("role" in data and kind != "chat"):
        return None
    kind = _CHUNKS.get(kind, kind)
    return kind if kind in _ROLES or kind == "chat" else None


def _output(data: Json) -> Output:
    content = tuple(part for part in _content(data["content"]) if isinstance(part, Text | Media | Opaque))
    status = Status.FAILED if data.get("status") == "error" else Status.SUCCESS
    name = text_or_none(data.get("name"))
    return Output(call_id=text_of(data, "tool_call_id") or name or "", content=content, status=status, name=name)


def _parts(data: Json) -> tuple[Part, ...]:
    parts = tuple(_content(data["content"]))
    known = {part.id for part in parts if isinstance(part, Call)}
    seals = object_of(object_of(data, "additional_kwargs"), SIGNATURES)
    calls = [
        _with_seal(_call(one), seals) for name in ("tool_calls", "invalid_tool_calls") for one in list_of(data, name)
    ]
    return (*_reasoning(data, parts), *parts, *(call for call in calls if call.id not in known))


def _reasoning(data: Json, parts: tuple[Part, ...]) -> Iterator[Part]:
    """Thoughts that a server tells beside the content, as LangChain keeps them."""
    text = text_of(object_of(data, "additional_kwargs"), "reasoning_content")
    if text and not any(isinstance(part, Reasoning) for part in parts):
        yield openai_chat.read_part({"reasoning_content": text})


def _call(data: Any) -> Call:
    if not isinstance(data, dict):
        raise ValueError(f"no call of LangChain: a {type(data).__name__}")
    arguments = data.get("args")
    decoded = read_arguments(arguments) if isinstance(arguments, str) else arguments
    name = text_of(data, "name")
    return Call(id=text_of(data, "id") or name, name=name, arguments={} if decoded is None else decoded)


def _with_seal(call: Call, seals: Json) -> Call:
    seal = text_or_none(seals.get(call.id))
    return replace(call, wire=Wire(NAME, {"signature": seal})) if seal else call


def _content(content: Any) -> Iterator[Part]:
    blocks = [content] if isinstance(content, str) else content
    if not isinstance(blocks, list):
        raise ValueError(f"the content of a LangChain message is a {type(content).__name__}")
    for block in blocks:
        if isinstance(block, str):
            if block:
                yield Text(text=block)
        elif isinstance(block, dict):
            yield _block(block)
        else:
            raise ValueError(f"a block of a LangChain message is a {type(block).__name__}")


def _block(block: Json) -> Part:
    opaque = Opaque(kind=str(block.get("type", "")), wire=Wire(NAME, block))
    try:
        part = _read_block(block)
    except (KeyError, TypeError, AttributeError):
        return opaque
    if part is None:
        return opaque
    says_all = "extras" not in block if isinstance(part, Call) else write_block(part) == block
    return part if part.wire is not None or says_all else replace(part, wire=Wire(NAME, block))


def _read_block(block: Json) -> Part | None:
    """A block of LangChain, or one that a provider wrote."""
    kind = block.get("type")
    match kind:
        case "text" | "output_text":
            return Text(text=expect_text(block["text"]))
        case "tool_call" | "invalid_tool_call":
            return _call(block)
        case "reasoning" if "reasoning" in block:
            return Reasoning(text=expect_text(block["reasoning"]))
        case "reasoning" | "function_call":
            return responses_items.read_item(block).parts[0]
        case "non_standard":
            return _block(block["value"])
        case "input_json_delta":
            return None
    if isinstance(kind, str) and kind in _MEDIA and not isinstance(block.get("source"), dict):
        return _media(block, _MEDIA[kind])
    found = openai_chat.read_part(block) if kind in _CHAT_BLOCKS else anthropic_blocks.read_part(block)
    return None if isinstance(found, Opaque) else found


def _media(block: Json, kind: str) -> Part:
    if "file" in block:
        return openai_chat.read_part(block)
    data = text_or_none(block.get("base64")) or text_or_none(block.get("data"))
    url = None if data else expect_text(block["url"])
    name = text_or_none(block.get("filename")) or text_or_none(object_of(block, "extras").get("filename"))
    return Media(media_type=text_of(block, "mime_type") or kind, data=data, url=url, name=name)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────


def write_block(part: Part) -> Json | None:
    """The block of a message's content that says what a part says; None for a call, which stands beside the content,
    and for what only another provider's API can say.
    """
    data = part.wire.data if part.wire is not None and isinstance(part.wire.data, dict) else None
    format = part.wire.format if part.wire is not None else ""
    match part:
        case Text():
            is_same = data is not None and format in _TAKEN and data.get("text") == part.text
            return data if is_same else {"type": "text", "text": part.text}
        case Reasoning() if data is not None and "type" in data:
            return data
        case Reasoning():
            return {"type": "reasoning", "reasoning": part.text} if part.text else None
        case Media() if data is not None and (format == NAME or (_kind_of(part) == "image" and format in _IMAGES)):
            return data
        case Media():
            return _write_media(part)
        case Call(server=True) | Output(server=True) | Opaque() if format in _TAKEN:
            return data
    return None


def _kind_of(media: Media) -> str:
    kind = media.media_type.partition("/")[0]
    return kind if kind in _MEDIA else "file"


def _write_media(media: Media) -> Json:
    kind = _kind_of(media)
    block: Json = {"type": kind} | ({"url": media.url} if media.data is None else {"base64": media.data})
    if media.media_type != _MEDIA[kind]:
        block["mime_type"] = media.media_type
    return block | ({"filename": media.name} if media.name else {})


def _usage(counts: Any) -> Usage | None:
    if not isinstance(counts, dict) or not isinstance(counts.get("input_tokens"), int):
        return None
    details = object_of(counts, "input_token_details")
    cached = count_of(details, "cache_read"), count_of(details, "cache_creation")
    return Usage(count_of(counts, "input_tokens"), count_of(counts, "output_tokens"), *cached)
