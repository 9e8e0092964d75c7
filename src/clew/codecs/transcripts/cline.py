"""Task histories of Cline and Roo Code: one JSON array of messages of the Anthropic API.

Later files of Roo Code are an object with a version, and messages as the AI SDK has them. The file is written anew
at every turn, and an element's place is all that identifies it: an element that changed is a new version of its
message. Older tasks call tools in the assistant's text and put results into the user's: such results are the tool's
words, not the person's.

Content of Cline's and Roo Code's messages: blocks of the Anthropic API with members of their own, blocks of the
AI SDK in newer files of Roo Code, and reasoning beside the content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.jsonio import parse_truncated
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks
from clew.codecs.transcripts.jsonl import content_key
from clew.domain.messages import Message, Origin, Role
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire, texts
from clew.domain.records import Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord
from clew.text.injected_text import is_person_answer

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
_ROLES = {"user", "assistant", "tool"}
_LIST = "messages"
#: Members that the API does not have.
_OWN_MEMBERS = {"ts", "isSummary", "condenseId", "condenseParent", "truncationId", "truncationParent", "modelInfo"}
_MARKS = (b"<environment_details>", b'"<task>', b'"<user_message>')
_FIRST = re.compile(rb'\s*(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"role"\s*:\s*"user"')
_RESULT = re.compile(r"\s*\[\w+(?: for [^\n]*| to [^\n]*)?\] Result:")


class Cline:
    """Codec of the task histories of Cline and Roo Code."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if start.startswith(b"{"):
            return _is_versioned(parse_truncated(start))
        if not start.startswith(b"["):
            return False
        return any(_is_element(element) for element in _elements(head)) or (
            _FIRST.match(head) is not None and any(mark in head for mark in _MARKS)
        )

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        index = 0
        try:
            for name, body, bad_line in jsonio.items(stream, (_LIST,)):
                if name in ("", _LIST):
                    yield RawRecord(b'{"i":%d,"message":%b}' % (index, body))
                    index += 1
                if bad_line:
                    yield jsonio.not_utf8(bad_line)
        except ValueError as error:
            yield SkippedRecord(0, f"after element {index}: {error}")

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        index, element = data.get("i"), object_of(data, "message")
        message = _message(element)
        return Record(
            key=content_key(body),
            group=f"{NAME}:{index}" if message else "",
            revises=message is not None,
            message=message,
            at=parse_timestamp(element.get("ts")),
            facts=SessionFacts(client=NAME, model=text_of(object_of(element, "modelInfo"), "modelId")),
        )


def _elements(head: bytes) -> Iterator[Any]:
    try:
        for _, body, _ in jsonio.items(BytesIO(head)):
            yield jsonio.loads(body)
    except ValueError:
        return  # the head ends early, or it is no JSON at all


def _is_element(element: Any) -> bool:
    if not isinstance(element, dict) or text_of(element, "role") not in _ROLES or "content" not in element:
        return False
    first = anthropic_blocks.read_content(element["content"])
    return not _OWN_MEMBERS.isdisjoint(element) or any(
        text.lstrip().startswith(("<task>", "<user_message>", "<environment_details>")) for text in texts(first)
    )


def _is_versioned(members: Any) -> bool:
    """Is this a history of Roo Code with its version beside it?"""
    if not isinstance(members, dict) or members.get("version") != 2:
        return False
    listed = [element for element in list_of(members, _LIST) if isinstance(element, dict)]
    return any(not _OWN_MEMBERS.isdisjoint(element) for element in listed[:50])


def _message(element: Json) -> Message | None:
    time = parse_timestamp(element.get("ts"))
    if text_of(element, "type") == "reasoning" and "content" not in element:
        return Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(read_reasoning(element),), at=time)
    role = text_of(element, "role")
    if role not in _ROLES:
        raise ValueError(f"no role of a task history: {element.get('role')!r}")
    content = element.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    parts = (*reasoning_beside(element), *map(read_block, blocks))
    message = Message(role=Role(role), parts=parts, at=time, wire=_wire(element, parts))
    model = text_of(object_of(element, "modelInfo"), "modelId") or None
    return replace(message, origin=_origin(element, message), model=model) if parts else None


def _wire(element: Json, parts: tuple[Part, ...]) -> Wire | None:
    """The message as the Anthropic API has it, where its parts are what that says and no more."""
    api_message = {"role": element["role"], "content": api_content(element.get("content"))}
    same = element["role"] != "tool" and anthropic_blocks.read_content(api_message["content"]) == parts
    return Wire(anthropic_blocks.NAME, api_message) if same else None


def _origin(element: Json, message: Message) -> Origin:
    if element.get("isSummary"):
        return Origin.SUMMARY
    if message.role is not Role.USER:
        return origin_of(message.role, message.parts)
    if element.get("isTruncationMarker"):
        return Origin.CLIENT
    return Origin.TOOL if _is_result(message.parts) else origin_of(Role.USER, message.parts)


def _is_result(parts: tuple[Part, ...]) -> bool:
    """Results written as text. Whatever else stands in the message may come from the tool, so all of it counts
    as the tool's; only answers to questions, where no tool has a say, are the person's."""
    first = next((part for part in parts if isinstance(part, Text)), None)
    return first is not None and _RESULT.match(first.text) is not None and not is_person_answer("\n".join(texts(parts)))


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
    failed = kind.startswith("error") or any(
        isinstance(part, Text) and part.text.startswith(_ERROR) for part in content
    )
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
