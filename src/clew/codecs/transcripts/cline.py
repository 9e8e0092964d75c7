"""Task histories of Cline and Roo Code: one JSON array of messages of the Anthropic API.

Later files of Roo Code are an object with a version, and messages as the AI SDK has them. The file is written anew
at every turn, and an element's place is all that identifies it: an element that changed is a new version of its
message. Older tasks call tools in the assistant's text and put results into the user's: such results are the tool's
words, not the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic_blocks
from clew.codecs.transcripts.cline_parts import NAME, api_content, read_block, read_reasoning, reasoning_beside
from clew.codecs.transcripts.jsonl import content_key
from clew.codecs.truncated_json import parse_truncated
from clew.domain import Json, Message, Origin, Part, Record, Role, SessionFacts, SkippedRecord, Text, Wire, texts
from clew.ports import RawRecord
from clew.text.injected_text import is_person_answer

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
        at = 0
        try:
            for name, body, bad_line in jsonio.items(stream, (_LIST,)):
                if name in ("", _LIST):
                    yield RawRecord(b'{"i":%d,"message":%b}' % (at, body))
                    at += 1
                if bad_line:
                    yield jsonio.not_utf8(bad_line)
        except ValueError as error:
            yield SkippedRecord(0, f"after element {at}: {error}")

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        at, element = data.get("i"), object_of(data, "message")
        message = _message(element)
        return Record(
            key=content_key(body),
            group=f"{NAME}:{at}" if message else "",
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


def _is_versioned(found: Any) -> bool:
    """Is this a history of Roo Code with its version beside it?"""
    if not isinstance(found, dict) or found.get("version") != 2:
        return False
    listed = [one for one in list_of(found, _LIST) if isinstance(one, dict)]
    return any(not _OWN_MEMBERS.isdisjoint(one) for one in listed[:50])


def _message(element: Json) -> Message | None:
    at = parse_timestamp(element.get("ts"))
    if text_of(element, "type") == "reasoning" and "content" not in element:
        return Message(role=Role.ASSISTANT, origin=Origin.MODEL, parts=(read_reasoning(element),), at=at)
    role = text_of(element, "role")
    if role not in _ROLES:
        raise ValueError(f"no role of a task history: {element.get('role')!r}")
    content = element.get("content")
    blocks = content if isinstance(content, list) else [] if content is None else [content]
    parts = (*reasoning_beside(element), *map(read_block, blocks))
    message = Message(role=Role(role), parts=parts, at=at, wire=_wire(element, parts))
    model = text_of(object_of(element, "modelInfo"), "modelId") or None
    return replace(message, origin=_origin(element, message), model=model) if parts else None


def _wire(element: Json, parts: tuple[Part, ...]) -> Wire | None:
    """The message as the Anthropic API has it, where its parts are what that says and no more."""
    told = {"role": element["role"], "content": api_content(element.get("content"))}
    same = element["role"] != "tool" and anthropic_blocks.read_content(told["content"]) == parts
    return Wire(anthropic_blocks.NAME, told) if same else None


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
