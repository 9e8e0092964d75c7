"""Content of Cline's and Roo Code's messages: blocks of the Anthropic API with members of their own, blocks of the
AI SDK in newer files of Roo Code, and reasoning beside the content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.codecs import jsonio
from clew.codecs.fields import list_of, object_of, text_of
from clew.codecs.providers import anthropic_blocks
from clew.domain import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire

NAME = "cline"
#: What the API takes of each block; the rest is the client's own, and would be refused.
_MEMBERS = {
    "text": {"type", "text", "citations", "cache_control"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
}
_ERROR = "[ERROR]"


def api_content(content: Any) -> Any:
    """Content as the Anthropic API takes it: without the members that clients add to its blocks."""
    return [_without_own(block) for block in content] if isinstance(content, list) else content


def _without_own(block: Any) -> Any:
    members = _MEMBERS.get(text_of(block, "type")) if isinstance(block, dict) else None
    return {name: value for name, value in block.items() if name in members} if members else block


def read_block(block: Any) -> Part:
    """One block of either kind. What is not known stays opaque, and is sent to nobody."""
    reader = _AI_SDK.get(text_of(block, "type")) if isinstance(block, dict) else None
    part = reader(block) if reader else anthropic_blocks.read_part(_without_own(block))
    return Opaque(kind=part.kind, wire=Wire(NAME, block)) if isinstance(part, Opaque) else part


def reasoning_beside(element: Json) -> Iterator[Part]:
    """Reasoning that stands beside the content of a message, or in members of its blocks."""
    if text := text_of(element, "reasoning_content"):
        yield Reasoning(text=text)
    blocks = [block for block in list_of(element, "content") if isinstance(block, dict)]
    for holder in (element, *blocks):
        for detail in list_of(holder, "reasoning_details"):
            yield _detail(detail)


def _detail(detail: Any) -> Part:
    data = detail if isinstance(detail, dict) else {}
    text = text_of(data, "text") or text_of(data, "summary")
    seal = text_of(data, "signature") or text_of(data, "data")
    if not text and not seal:
        return Opaque(kind=text_of(data, "type") or "reasoning", wire=Wire(NAME, detail))
    return Reasoning(text=text, seal=seal or None)


def read_reasoning(element: Json) -> Part:
    """A whole element of reasoning, as the Responses API gives it."""
    pieces = [text_of(piece, "text") for piece in list_of(element, "summary") if isinstance(piece, dict)]
    text = "\n".join(filter(None, [*pieces, text_of(element, "text")]))
    return Reasoning(text=text, seal=text_of(element, "encrypted_content") or None)


# ── blocks of the AI SDK ─────────────────────────────────────────────────────────────────────────────


def _call(block: Json) -> Part:
    if not text_of(block, "toolCallId"):
        return Opaque(kind="tool-call")
    return Call(id=block["toolCallId"], name=text_of(block, "toolName"), arguments=block.get("input") or {})


def _output(block: Json) -> Part:
    if not text_of(block, "toolCallId"):
        return Opaque(kind="tool-result")
    output = block.get("output")
    content = tuple(_output_parts(output))
    kind = text_of(output, "type") if isinstance(output, dict) else ""
    failed = kind.startswith("error") or any(isinstance(one, Text) and one.text.startswith(_ERROR) for one in content)
    status = Status.FAILED if failed else Status.SUCCESS
    name = text_of(block, "toolName") or None
    return Output(call_id=block["toolCallId"], content=content, status=status, name=name)


def _output_parts(output: Any) -> Iterator[Part]:
    """An output: a text, a value, or pieces of content, each with its kind."""
    value = output.get("value") if isinstance(output, dict) and "value" in output else output
    for piece in value if isinstance(value, list) else [value]:
        if isinstance(piece, str):
            yield Text(text=piece)
        elif isinstance(piece, dict) and isinstance(piece.get("data"), str):
            yield Media(media_type=text_of(piece, "mediaType") or "image", data=piece["data"])
        elif isinstance(piece, dict) and isinstance(piece.get("text"), str):
            yield Text(text=piece["text"])
        elif piece is not None:
            yield Text(text=jsonio.dumps(piece).decode())


def _media(block: Json) -> Part:
    kind = text_of(block, "type")
    held = text_of(block, "image") or text_of(block, "data")
    if not held:
        # The Anthropic API names its pictures so too.
        return anthropic_blocks.read_part(block)
    media_type = text_of(block, "mediaType") or kind
    if held.startswith("data:") and "," in held:
        return Media(media_type=media_type, data=held.partition(",")[2])
    remote = held.startswith(("http://", "https://"))
    return Media(media_type=media_type, data=None if remote else held, url=held if remote else None)


def _reasoning(block: Json) -> Part:
    options = object_of(object_of(block, "providerOptions"), "anthropic")
    return Reasoning(text=text_of(block, "text"), seal=text_of(options, "signature") or None)


_AI_SDK = {"tool-call": _call, "tool-result": _output, "reasoning": _reasoning, "image": _media, "file": _media}
