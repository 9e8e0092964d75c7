"""Clew's own files: a session as lines of JSON, without loss, and messages as they are here.

The first line is a header with the session's row. Each further line is an entry of the ledger, with the wire
record as it came: as JSON where that leads back to the same bytes, else as text or base64.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.clew_values import dump_value, read_value
from clew.codecs.documents import conversation_records
from clew.domain.messages import Message, Origin, Role, Tool
from clew.domain.parts import Json, Text
from clew.domain.records import Entry, EntryKind, Record, SessionFacts
from clew.domain.reports import SkippedRecord
from clew.domain.sessions import SessionInfo
from clew.errors import ClewError
from clew.ports import RawRecord, Request

NAME = "clew"
#: The version of the format; a reader refuses what is newer.
VERSION = 1
#: A body that is an object with just one of these members stands for bytes that JSON would not give back.
_RAW = ({"raw"}, {"base64"})
#: Records of ours that are about packing, not of the conversation.
_ASIDES = {"epoch", "sent"}


# ── lines ────────────────────────────────────────────────────────────────────────────────────────────


def write_header(info: SessionInfo) -> bytes:
    """The first line of a session file."""
    return jsonio.dumps({"clew": VERSION, "session": dump_value(info)}) + b"\n"


def write_entry(entry: Entry) -> bytes:
    """The line of an entry; its body comes back byte for byte."""
    about = {
        "seq": entry.seq,
        "kind": entry.kind,
        "format": entry.format,
        "message": entry.message,
        "replaces": entry.replaces,
        "at": entry.at,
    }
    line = jsonio.dumps(about | {"body": _body_to_json(entry.body)})
    # A body as deep as may be gets too deep by standing inside a line.
    return (line if jsonio.is_json(line) else jsonio.dumps(about | {"body": _raw(entry.body)})) + b"\n"


def read_line(line: bytes) -> SessionInfo | Entry:
    """What a line of a session file says; ValueError when it is neither header nor entry."""
    data = _load_object(line)
    return _header(data) if "clew" in data else _entry(data)


def read_as_note(line: bytes) -> Entry | None:
    """The entry of a line as a note, for one whose kind, format or body cannot be read; None where there is no entry.

    A later version may have written it: it is kept with its body, and says nothing here.
    """
    try:
        return _entry(_load_object(line) | {"kind": EntryKind.NOTE, "message": 0, "replaces": 0})
    except ValueError:
        return None


def _load_object(line: bytes) -> Json:
    data = jsonio.loads_exact(line)
    if not isinstance(data, dict):
        raise ValueError(f"expected a JSON object, found {type(data).__name__}")
    return data


def _body_to_json(body: bytes) -> Any:
    try:
        value = jsonio.loads(body)
    except ValueError:
        return _raw(body)
    looks_raw = isinstance(value, dict) and value.keys() in _RAW
    return value if not looks_raw and jsonio.dumps(value) == body else _raw(body)


def _raw(body: bytes) -> Json:
    try:
        return {"raw": body.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode()}


def _body(value: Any) -> bytes:
    if not isinstance(value, dict) or value.keys() not in _RAW:
        return jsonio.dumps_exact(value)
    ((kind, text),) = value.items()
    if not isinstance(text, str):
        raise ValueError("a body that is neither text nor base64")
    try:
        return text.encode("utf-8", "surrogateescape") if kind == "raw" else base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"a body that is no base64: {error}") from None


def _header(data: Json) -> SessionInfo:
    version = data["clew"]
    if version != VERSION:
        raise ValueError(f"version {version!r} of the clew format; this program reads version {VERSION}")
    return read_value(SessionInfo, data.get("session"))


def _entry(data: Json) -> Entry:
    if "body" not in data:
        raise ValueError("neither a header nor an entry of a clew file")
    time = data.get("at")
    if time is not None and (isinstance(time, bool) or not isinstance(time, int | float)):
        raise ValueError("an entry whose time is no number")
    return Entry(
        seq=_number(data, "seq"),
        kind=_kind(data),
        format=_string(data, "format"),
        body=_body(data["body"]),
        message=_number(data, "message"),
        replaces=_number(data, "replaces"),
        at=time,
    )


def _kind(data: Json) -> EntryKind:
    kind = _string(data, "kind")
    if kind not in set(EntryKind):
        raise ValueError(f"an entry of the unknown kind {kind!r}")
    return EntryKind(kind)


def _number(data: Json, name: str) -> int:
    value = data.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 31:
        raise ValueError(f"an entry whose {name} is no number of ours")
    return value


def _string(data: Json, name: str) -> str:
    value = data.get(name)
    if not isinstance(value, str):
        raise ValueError(f"an entry whose {name} is no text")
    return value


# ── codec ────────────────────────────────────────────────────────────────────────────────────────────


class Clew:
    """Codec and encoder of Clew's own files.

    ``read`` gives what a line says to a conversation. To make the same ledger again, take the lines with
    ``read_line``: an entry keeps the format it came in.
    """

    name = NAME

    def sniff(self, head: bytes) -> bool:
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64]
        return b"".join(start.split())[:8] == b'{"clew":'

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
        """Entries as the wire records they hold, in the format of each; the header and messages as they stand."""
        for raw in conversation_records(stream, ("messages",)):
            yield _unwrap_entry(raw) if isinstance(raw, RawRecord) and raw.body.startswith(b'{"seq":') else raw

    def read(self, body: bytes) -> Record:
        data = jsonio.loads_object(body)
        if "clew" in data:
            info = _header(data)
            return Record(key="header", facts=SessionFacts(info.key.id, info.title, info.client, info.cwd, info.model))
        if "seq" in data:
            return _inner(_entry(data))
        return _own(data)

    def encode(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Request:
        body: Json = {"clew": VERSION, "messages": [dump_value(message) for message in messages]}
        if tools:
            body["tools"] = [dump_value(tool) for tool in tools]
        return Request(body)


def _unwrap_entry(raw: RawRecord) -> RawRecord:
    """The record in an entry. An entry that cannot be read stays as it is: reading it says why."""
    from clew.codecs.registry import is_known

    try:
        entry = _entry(_load_object(raw.body))
    except ValueError:
        return raw
    return replace(raw, body=entry.body, format=entry.format) if is_known(entry.format) else raw


def _inner(entry: Entry) -> Record:
    """What the wire record inside an entry says."""
    return Record(key="", at=entry.at) if entry.kind is EntryKind.NOTE else _wire_record(entry.format, entry.body)


def _wire_record(format: str, body: bytes) -> Record:
    """What a wire record says, read by the codec of its own format."""
    # The registry knows all codecs, this one too: imported late, or the two would need each other first.
    from clew.codecs.registry import codec

    try:
        return codec(format).read(body)
    except ClewError as error:
        raise ValueError(str(error)) from None


def write_reported(format: str, body: bytes) -> bytes:
    """The record of a message that a model reports: the wire record as it came, and that nobody else vouches for it."""
    return jsonio.dumps_exact({"reported": {"format": format, "body": _body_to_json(body)}})


def _reported_record(data: Json) -> Record:
    """What a wire record says, in the words of the model that reported it. Its own messages are its own."""
    record = _wire_record(_string(data, "format"), _body(data.get("body")))
    message = record.message
    if message is None or (message.role is Role.ASSISTANT and not message.outputs):
        return record
    return replace(record, message=replace(message, origin=Origin.REPORTED))


def _own(data: Json) -> Record:
    """A record that was made here: a message, one that a model reports, the tools, a rollback."""
    if isinstance(data.get("reported"), dict):
        return _reported_record(data["reported"])
    if isinstance(data.get("tools"), list) and "role" not in data:
        return Record(key="", tools=tuple(read_value(Tool, tool) for tool in data["tools"]))
    if "rollback" in data:
        return Record(key="", rollback=_number(data, "rollback"))
    if data.keys() & _ASIDES:
        return Record(key="")
    message = _message(data.get("message", data))
    return Record(key="", message=message, at=message.at)


def _message(data: Any) -> Message:
    if isinstance(data, dict) and data.get("role") == "system" and isinstance(data.get("content"), str):
        return Message(role=Role.SYSTEM, origin=Origin.SYSTEM, parts=(Text(text=data["content"]),))
    return read_value(Message, data)
