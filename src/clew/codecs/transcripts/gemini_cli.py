"""Chat recordings of Gemini CLI: a JSON document of messages, or a log of them; and its checkpoints.

A message of the log is written anew, whole, whenever something is added to it. The log also replaces all messages
at once, where the client shortened them, and goes back to before one of them. Of what it replaces, only what
is new or longer is taken: shortening is done here. A checkpoint is a list of contents of the Gemini API.

Messages of Gemini CLI's recordings: what was typed, and a reply with its thoughts, calls and their results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.documents import document_records
from clew.codecs.fields import count_of, list_of, object_of, parse_timestamp, text_of
from clew.codecs.jsonio import parse_truncated
from clew.codecs.origins import origin_of
from clew.codecs.providers.gemini_parts import read_content
from clew.codecs.providers.gemini_parts import read_message as read_api_content
from clew.codecs.sources import HEAD_BYTES
from clew.codecs.transcripts.jsonl import content_key, head_members
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire
from clew.domain.records import Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.ports import RawRecord
from clew.text.injected_text import as_reminder

_WIRE = "gemini-cli"
#: Notices for the screen; the model never sees them.
_NOTICES = {"info", "error", "warning"}
_STATUS = {"success": Status.SUCCESS, "error": Status.FAILED, "cancelled": Status.CANCELED}
#: How the client begins what it says in the user's name: the setting of the work, and what it made of older messages.
_SETTINGS = ("This is the Gemini CLI.", "<session_context>")
_SUMMARY = "<state_snapshot>"
_FILES = "--- Content from referenced files ---"
NAME = "gemini-cli"
_LISTS = ("messages", "history")


class GeminiCli:
    """Codec of Gemini CLI's chat recordings and checkpoints."""

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if start.startswith(b"{"):
            members = head_members(start.partition(b"\n")[0]) or head_members(start)
            if text_of(members, "sessionId") and text_of(members, "projectHash"):
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
        fields = object_of(data, "$set") or data
        if isinstance(data.get("$rewindTo"), str):
            yield RawRecord(jsonio.dumps_exact(data | {"exchanges": self.rewind(data["$rewindTo"])}))
        elif "id" not in data and isinstance(fields.get("messages"), list):
            rest = {name: value for name, value in fields.items() if name != "messages"}
            yield RawRecord(jsonio.dumps_exact({"$set": rest} if fields is not data else rest))
            yield from self.replacement_records(fields["messages"])
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
        at = next((index for index, (message_id, _) in enumerate(self.persons) if message_id == id), 0)
        gone, self.persons = self.persons[at:], self.persons[:at]
        return sum(persons for _, persons in gone)


def _message(data: Json) -> Message | None:
    if "type" in data or "id" in data:
        return read_message(data)
    if "parts" not in data:
        return None
    message = read_api_content(data)
    return Message(role=message.role, parts=message.parts, origin=origin(message), wire=message.wire)


def _facts(data: Json, message: Message | None) -> SessionFacts:
    fields = object_of(data, "$set") or data
    folders = [folder for folder in list_of(fields, "directories") if isinstance(folder, str)]
    return SessionFacts(
        session=text_of(fields, "sessionId") if message is None else "",
        title=text_of(fields, "summary") if message is None else "",
        client=NAME,
        cwd=folders[0] if folders and message is None else "",
        model=message.model or "" if message else "",
    )


def read_message(data: Json) -> Message | None:
    """The message of a record; None for a notice. A record of a kind that is not known is kept as an opaque part."""
    kind = text_of(data, "type")
    if kind in _NOTICES:
        return None
    if kind not in ("user", "gemini"):
        parts: tuple[Part, ...] = (Opaque(kind=kind or "message", wire=Wire(_WIRE, data)),)
        return Message(role=Role.USER, origin=Origin.CLIENT, parts=parts, at=parse_timestamp(data.get("timestamp")))
    parts = tuple(_typed_parts(data)) if kind == "user" else tuple(_reply(data))
    message = Message(
        role=Role.USER if kind == "user" else Role.ASSISTANT,
        parts=parts,
        at=parse_timestamp(data.get("timestamp")),
        model=text_of(data, "model") or None,
        usage=_usage(object_of(data, "tokens")),
    )
    return replace(message, origin=origin(message))


def is_persons(data: Json) -> bool:
    """True for a record that begins an exchange."""
    message = read_message(data)
    return message is not None and message.origin is Origin.PERSON


def origin(message: Message) -> Origin:
    """Whose words a message holds: the client speaks in the user's name as well."""
    if message.role is Role.USER and message.text.lstrip().startswith(_SETTINGS):
        return Origin.CLIENT
    if message.role is Role.USER and message.text.lstrip().startswith(_SUMMARY):
        return Origin.SUMMARY
    return origin_of(message.role, message.parts)


def starts_checkpoint(found: Any) -> bool:
    """Is this a list of contents, bare or as a history, that begins as the client begins a chat?"""
    contents = list_of(found, "history") if isinstance(found, dict) else found
    first = contents[0] if isinstance(contents, list) and contents else None
    if not isinstance(first, dict) or not isinstance(first.get("parts"), list):
        return False
    texts = [text_of(part, "text") for part in first["parts"] if isinstance(part, dict)]
    return any(text.lstrip().startswith(_SETTINGS) for text in texts)


def _content(value: Any) -> tuple[Part, ...]:
    """Content as the API's library takes it: a text, a part, or a list of both."""
    if value is None or value == "":
        return ()
    return read_content({"parts": value if isinstance(value, list) else [value]})


def _typed_parts(data: Json) -> Iterator[Part]:
    """What was typed. Files that it names are read by the client: their content gives no orders."""
    is_file = False
    for part in _content(data.get("content")):
        is_file = is_file or (isinstance(part, Text) and part.text.strip().startswith(_FILES))
        is_given = is_file and isinstance(part, Text) and bool(part.text.strip())
        yield replace(part, text=as_reminder(part.text)) if isinstance(part, Text) and is_given else part


def _reply(data: Json) -> Iterator[Part]:
    yield from (_thought(thought) for thought in list_of(data, "thoughts"))
    parts = _content(data.get("content"))
    yield from parts
    for call in list_of(data, "toolCalls"):
        yield from _call(call, parts)


def _thought(thought: Any) -> Part:
    if not isinstance(thought, dict):
        return Opaque(kind="thought", wire=Wire(_WIRE, thought))
    return Reasoning(text="\n".join(filter(None, (text_of(thought, "subject"), text_of(thought, "description")))))


def _call(data: Any, parts: tuple[Part, ...]) -> Iterator[Part]:
    """A call and what came of it. A message that was made from the API's history says the call in its content too."""
    if not isinstance(data, dict) or not text_of(data, "name"):
        yield Opaque(kind="toolCall", wire=Wire(_WIRE, data))
        return
    call = Call(id=text_of(data, "id") or f"call-{data['name']}", name=data["name"], arguments=data.get("args") or {})
    same = (
        part for part in parts if isinstance(part, Call) and (part.name, part.arguments) == (call.name, call.arguments)
    )
    earlier = next(same, None)
    if earlier is None:
        yield call
    if text_of(data, "status") in _STATUS:
        yield _output(data, (earlier or call).id)


def _output(data: Json, call_id: str) -> Output:
    parts = _content(data.get("result"))
    content = [inner for part in parts for inner in (part.content if isinstance(part, Output) else (part,))]
    shown = data.get("resultDisplay")
    if not content and isinstance(shown, str) and shown:
        content = [Text(text=shown)]
    marked = next((part.status for part in parts if isinstance(part, Output)), Status.SUCCESS)
    status = _STATUS[data["status"]]
    return Output(
        call_id=call_id,
        content=tuple(map(_inner, content)),
        status=marked if status is Status.SUCCESS else status,
        name=data["name"],
    )


def _inner(part: Part) -> Part:
    """Outputs hold no calls or reasoning of their own."""
    return part if isinstance(part, Text | Media | Opaque) else Opaque(kind="part", wire=part.wire)


def _usage(tokens: Json) -> Usage | None:
    """Tokens of thoughts are counted beside those of the answer; both are output."""
    total = count_of(tokens, "input") + count_of(tokens, "output")
    output = count_of(tokens, "output") + count_of(tokens, "thoughts")
    return Usage(count_of(tokens, "input"), output, count_of(tokens, "cached")) if total else None
