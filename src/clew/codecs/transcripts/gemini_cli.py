"""Chat recordings of Gemini CLI: a JSON document of messages, or a log of them; and its checkpoints.

A message of the log is written anew, whole, whenever something is added to it. The log also replaces all messages
at once, where the client shortened them, and goes back to before one of them. Of what it replaces, only what
is new or longer is taken: shortening is done here. A checkpoint is a list of contents of the Gemini API.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.documents import document_records
from clew.codecs.fields import list_of, object_of, parse_timestamp, text_of
from clew.codecs.providers.gemini_parts import read_message as read_content
from clew.codecs.sources import HEAD_BYTES
from clew.codecs.transcripts.gemini_cli_parts import is_persons, origin, read_message, starts_checkpoint
from clew.codecs.transcripts.jsonl import content_key, head_members
from clew.codecs.truncated_json import parse_truncated
from clew.domain import Json, Message, Record, SessionFacts, SkippedRecord
from clew.ports import RawRecord

NAME = "gemini-cli"
_LISTS = ("messages", "history")


class GeminiCli:
    """Codec of Gemini CLI's chat recordings and checkpoints."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if start.startswith(b"{"):
            found = head_members(start.partition(b"\n")[0]) or head_members(start)
            if text_of(found, "sessionId") and text_of(found, "projectHash"):
                return True
        return starts_checkpoint(parse_truncated(start)) if start[:1] in {b"{", b"["} else False

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        stream = stream if stream.seekable() else BytesIO(stream.read(jsonio.MAX_RECORD_BYTES))
        start = stream.tell()
        head = stream.read(HEAD_BYTES)
        stream.seek(start)
        return _Log().records(stream) if _is_log(head) else document_records(stream, _LISTS)

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        message, id = _message(data), text_of(data, "id")
        return Record(
            key=content_key(body),
            group=id if message else "",
            revises=bool(message and id),
            message=message,
            rollback=data["exchanges"] if "$rewindTo" in data and isinstance(data.get("exchanges"), int) else 0,
            at=parse_timestamp(data.get("timestamp")) or parse_timestamp(data.get("startTime")),
            facts=_facts(data, message),
        )


def _is_log(head: bytes) -> bool:
    """True when the first line is an object of its own. The older document is one too, if it has no line breaks."""
    first, _, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    try:
        value = jsonio.loads_object(first)
    except ValueError:
        return False
    return bool(rest.strip()) or not any(isinstance(value.get(name), list) for name in _LISTS)


class _Log:
    """Follows a log. Records have no line: what one says rests on those before it, so nobody can read on there."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.persons: list[tuple[str, bool]] = []

    def records(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        for raw in jsonio.lines(stream):
            if isinstance(raw, SkippedRecord):
                yield raw
                continue
            try:
                data = jsonio.loads_exact(raw.body)
            except ValueError:
                yield raw  # whoever reads it will say why it cannot be read, and keep it
                continue
            yield from self.record(raw.body, data) if isinstance(data, dict) else [raw]

    def record(self, body: bytes, data: Json) -> Iterator[RawRecord]:
        told = object_of(data, "$set") or data
        if isinstance(data.get("$rewindTo"), str):
            yield RawRecord(jsonio.dumps_exact(data | {"exchanges": self.rewind(data["$rewindTo"])}))
        elif "id" not in data and isinstance(told.get("messages"), list):
            rest = {name: value for name, value in told.items() if name != "messages"}
            yield RawRecord(jsonio.dumps_exact({"$set": rest} if told is not data else rest))
            yield from self.replacement_records(told["messages"])
        else:
            self.note(data, len(body))
            yield RawRecord(body)

    def replacement_records(self, messages: list[Any]) -> Iterator[RawRecord]:
        for message in messages:
            body = jsonio.dumps_exact(message)
            id = text_of(message, "id") if isinstance(message, dict) else ""
            if not id or len(body) > self.sizes.get(id, 0):
                if isinstance(message, dict):
                    self.note(message, len(body))
                yield RawRecord(body)

    def note(self, message: Json, size: int) -> None:
        id = text_of(message, "id")
        if id and id not in self.sizes:
            self.persons.append((id, is_persons(message)))
        if id:
            self.sizes[id] = size

    def rewind(self, id: str) -> int:
        """How many requests of a person are taken back: those from this message on, or all if it is not known."""
        at = next((at for at, (known, _) in enumerate(self.persons) if known == id), 0)
        gone, self.persons = self.persons[at:], self.persons[:at]
        return sum(persons for _, persons in gone)


def _message(data: Json) -> Message | None:
    if "type" in data or "id" in data:
        return read_message(data)
    if "parts" not in data:
        return None
    message = read_content(data)
    return Message(role=message.role, parts=message.parts, origin=origin(message), wire=message.wire)


def _facts(data: Json, message: Message | None) -> SessionFacts:
    told = object_of(data, "$set") or data
    folders = [folder for folder in list_of(told, "directories") if isinstance(folder, str)]
    return SessionFacts(
        session=text_of(told, "sessionId") if message is None else "",
        title=text_of(told, "summary") if message is None else "",
        client=NAME,
        cwd=folders[0] if folders and message is None else "",
        model=message.model or "" if message else "",
    )
