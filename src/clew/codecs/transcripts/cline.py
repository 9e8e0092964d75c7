"""Task histories of Cline and Roo Code: one JSON array of messages of the Anthropic API.

The file is written anew at every turn, and an element's place is all that identifies it: an element that
changed is a new version of its message. Older tasks call tools in the assistant's text and put results
into the user's: such results are the tool's words, not the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.fields import object_of, parse_timestamp, text_of
from clew.codecs.origins import origin_of
from clew.codecs.providers import anthropic
from clew.codecs.transcripts.jsonl import content_key
from clew.domain import Json, Message, Origin, Part, Record, Role, SessionFacts, SkippedRecord, Text, texts
from clew.ports import RawRecord
from clew.text.injected_text import is_person_answer

NAME = "cline"
_ROLES = {"user", "assistant"}
#: Members that the API does not have.
_OWN_MEMBERS = {"ts", "isSummary", "condenseId", "condenseParent", "truncationId", "truncationParent", "modelInfo"}
_MARKS = (b"<environment_details>", b'"<task>', b'"<user_message>')
_FIRST = re.compile(rb'\s*(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"role"\s*:\s*"user"')
_RESULT = re.compile(r"\s*\[\w+(?: for [^\n]*| to [^\n]*)?\] Result:")


class Cline:
    """Codec of the task histories of Cline and Roo Code."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
            return False
        return any(_is_element(element) for element in _elements(head)) or (
            _FIRST.match(head) is not None and any(mark in head for mark in _MARKS)
        )

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        at = 0
        try:
            for name, body, bad_line in jsonio.items(stream):
                if not name:
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
    first = anthropic.read_content(element["content"])
    return not _OWN_MEMBERS.isdisjoint(element) or any(
        text.lstrip().startswith(("<task>", "<user_message>", "<environment_details>")) for text in texts(first)
    )


def _message(element: Json) -> Message | None:
    if text_of(element, "role") not in _ROLES:
        return None
    # Only these two members belong to the API; the rest is the client's own.
    message = anthropic.read_message({"role": element["role"], "content": element.get("content")})
    if not message.parts:
        return None
    model = text_of(object_of(element, "modelInfo"), "modelId") or None
    return replace(message, origin=_origin(element, message), at=parse_timestamp(element.get("ts")), model=model)


def _origin(element: Json, message: Message) -> Origin:
    if element.get("isSummary"):
        return Origin.SUMMARY
    if message.role is Role.ASSISTANT:
        return Origin.MODEL
    if element.get("isTruncationMarker"):
        return Origin.CLIENT
    return Origin.TOOL if _is_result(message.parts) else origin_of(Role.USER, message.parts)


def _is_result(parts: tuple[Part, ...]) -> bool:
    """Results written as text. Whatever else stands in the message may come from the tool, so all of it counts
    as the tool's; only answers to questions, where no tool has a say, are the person's."""
    first = next((part for part in parts if isinstance(part, Text)), None)
    return first is not None and _RESULT.match(first.text) is not None and not is_person_answer("\n".join(texts(parts)))
