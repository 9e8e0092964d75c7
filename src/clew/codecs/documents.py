"""Files that hold API conversations: a request, a bare list of messages, a list of conversations, or lines.

Whatever the outer shape, the records are the same: the system prompt under the name the request gives it,
the tools, each message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.codecs.jsonio import BOM
from clew.codecs.sources import HEAD_BYTES
from clew.domain import Json, SkippedRecord
from clew.ports import RawRecord

#: Names under which requests, and collections of runs, keep a conversation.
LISTS = ("messages", "input", "contents", "traj", "trajectory", "conversation", "history")

#: Members that hold a system prompt, in any of the request formats.
SYSTEM_MEMBERS = ("system", "instructions", "system_instruction", "systemInstruction")
_NAMES = ("session_id", "conversation_id", "id", "task_id", "trial")
#: A first line up to this size is read whole to see whether the file is one of lines.
_MAX_PEEK_BYTES = 16 << 20


def conversation_records(stream: BinaryIO, members: Sequence[str]) -> Iterator[RawRecord | SkippedRecord]:
    """Records of every conversation in the file; ``members`` are the format's own names of the list."""
    start = stream.tell() if stream.seekable() else None
    head = _first_line(stream)
    names = tuple(dict.fromkeys((*members, *LISTS)))
    records = _Conversations(names)
    if _is_lines(head, names):
        return records.of_lines(_Joined(head, stream))
    if start is None or not head.lstrip(BOM + b" \t\r\n").startswith(b"{"):
        return records.of_document(_Joined(head, stream))
    return records.of_request(stream, start)


def _first_line(stream: BinaryIO) -> bytes:
    """The head of the file, with all of its first line that is in reason."""
    head = stream.read(HEAD_BYTES)
    if len(head) == HEAD_BYTES and b"\n" not in head.lstrip(BOM + b" \t\r\n"):
        head += stream.readline(_MAX_PEEK_BYTES)
        head += stream.read(HEAD_BYTES)
    return head


def _is_lines(head: bytes, names: Sequence[str]) -> bool:
    """True when the first line is a JSON value of its own: with others after it, or a message by itself."""
    first, _, rest = head.lstrip(BOM + b" \t\r\n").partition(b"\n")
    try:
        value = jsonio.loads(first)
    except ValueError:
        return False
    return bool(rest.strip()) or (isinstance(value, dict) and not _is_request(value, names))


def _is_request(value: Json, names: Sequence[str]) -> bool:
    return "role" not in value and any(name in value for name in names)


def document_records(
    stream: Any,
    lists: Sequence[str],
    make: Callable[[str, bytes], Iterable[RawRecord | SkippedRecord]] | None = None,
) -> Iterator[RawRecord | SkippedRecord]:
    """What ``make`` reads of each member of a JSON document, the lists element by element. Without it, elements as they
    stand, and other members as objects of one. What ends early, and bytes that are no UTF-8, are told.
    """
    try:
        for name, body, bad_line in jsonio.items(stream, lists):
            yield from make(name, body) if make else [RawRecord(body if name in (*lists, "") else _member(name, body))]
            if bad_line:
                yield jsonio.not_utf8(bad_line)
    except ValueError as error:
        yield SkippedRecord(0, str(error))


def _member(name: str, body: bytes) -> bytes:
    """An object of one member."""
    return jsonio.dumps(name).join((b"{", b":")) + body + b"}"


def system_of(data: Json) -> Any | None:
    """The system prompt, when the record is one that stood beside the messages."""
    if "role" in data or "type" in data:
        return None
    return next((data[name] for name in SYSTEM_MEMBERS if data.get(name) is not None), None)


def conversation_name(value: Any, at: int) -> str:
    """The name that a conversation has by itself, else its number in the file."""
    members = value if isinstance(value, dict) else {}
    return "-".join(str(members[name]) for name in _NAMES if isinstance(members.get(name), str | int)) or str(at)


class _Conversations:
    """Walks one file; conversations without a name of their own are numbered, and no two share one."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.sessions: set[str] = set()

    def of_lines(self, stream: Any) -> Iterator[RawRecord | SkippedRecord]:
        for raw in jsonio.lines(stream):
            if isinstance(raw, SkippedRecord):
                yield raw
            else:
                body = raw.body.lstrip(BOM) if raw.line == 1 else raw.body
                yield from self.element(RawRecord(body, raw.line, raw.end), raw.line)

    def of_request(self, stream: BinaryIO, start: int) -> Iterator[RawRecord | SkippedRecord]:
        """In two passes: what stands around the messages belongs before them, wherever it is written."""
        for after, wanted in ((False, (*SYSTEM_MEMBERS, "tools")), (True, self.names)):
            stream.seek(start)
            yield from self.of_document(stream, only=wanted, tells=after)

    def of_document(
        self, stream: Any, *, only: Sequence[str] = (), tells: bool = True
    ) -> Iterator[RawRecord | SkippedRecord]:
        try:
            for index, (name, body, bad_line) in enumerate(jsonio.items(stream, self.names)):
                if not only or name in only:
                    yield from self.member(name, body, index + 1)
                    if bad_line:
                        yield jsonio.not_utf8(bad_line)
        except ValueError as error:
            if tells:
                yield SkippedRecord(0, str(error))

    def member(self, name: str, body: bytes, at: int) -> Iterator[RawRecord | SkippedRecord]:
        if name == "":
            yield from self.element(RawRecord(body), at)
        elif name in self.names:
            yield RawRecord(body)
        elif name in (*SYSTEM_MEMBERS, "tools") and body != b"null":
            yield RawRecord(_member(name, body))

    def element(self, raw: RawRecord, at: int) -> Iterator[RawRecord | SkippedRecord]:
        """A line, or an element of an array: a message, or a conversation of its own."""
        try:
            value = jsonio.loads_exact(raw.body)
        except ValueError:
            yield raw  # whoever reads it will say why it cannot be read, and keep it
            return
        whole = {"messages": value} if isinstance(value, list) else value
        messages = _messages_of(whole, self.names) if isinstance(whole, dict) else None
        if messages is None:
            yield raw
            return
        session = self.session(whole, at)
        for body in chain(_system_and_tools(whole), messages):
            yield RawRecord(jsonio.dumps_exact(body), raw.line, raw.end, session)

    def session(self, value: Json, at: int) -> str:
        name = conversation_name(value, at)
        name = name if name not in self.sessions else f"{name}-{at}"
        self.sessions.add(name)
        return name


def _messages_of(value: Json, names: Sequence[str]) -> list[Any] | None:
    """The list of messages that an object holds, unless it is a message itself."""
    if "role" in value:
        return None
    lists = [value[name] for name in names if isinstance(value.get(name), list)]
    return next((candidate for candidate in lists if _are_messages(candidate)), None)


def _are_messages(elements: list[Any]) -> bool:
    first = elements[0] if elements else {"role": ""}
    return isinstance(first, dict) and not {"role", "type", "parts"}.isdisjoint(first)


def _system_and_tools(value: Json) -> Iterator[Json]:
    """What stands beside the messages: the system prompt and the tools."""
    system = next((name for name in SYSTEM_MEMBERS if value.get(name)), None)
    if system is not None:
        yield {system: value[system]}
    if isinstance(value.get("tools"), list):
        yield {"tools": value["tools"]}


class _Joined:
    """A stream whose head was already read; the rest follows without a copy of the whole."""

    def __init__(self, head: bytes, stream: BinaryIO) -> None:
        self.head, self.stream = head, stream

    def read(self, size: int) -> bytes:
        if self.head:
            piece, self.head = self.head[:size], self.head[size:]
            return piece
        return self.stream.read(size)

    def readline(self, size: int) -> bytes:
        if not self.head:
            return self.stream.readline(size)
        cut = self.head.find(b"\n") + 1
        if cut:
            return self.read(min(cut, size))
        piece = self.read(min(len(self.head), size))
        return piece if self.head or len(piece) == size else piece + self.stream.readline(size - len(piece))
