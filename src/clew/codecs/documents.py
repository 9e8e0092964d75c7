"""Files that hold API conversations: a request, a bare list of messages, a list of conversations, or lines.

Whatever the outer shape, the records are the same: the system prompt as a message, the tools, each message.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.domain import Skipped
from clew.ports import RawRecord

#: Members that hold a system prompt, in any of the request formats.
_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction")
#: Other names under which collections of runs keep a conversation.
_ALSO = ("traj", "trajectory", "conversation")
_NAMES = ("session_id", "conversation_id", "id", "task_id", "trial")
_PEEK_BYTES = 1 << 16


def conversations(stream: BinaryIO, members: Sequence[str]) -> Iterator[RawRecord | Skipped]:
    """Records of every conversation in the file; ``members`` are the names of the list of messages."""
    head = stream.read(_PEEK_BYTES)
    joined = _Joined(head, stream)
    if _is_lines(head):
        return _from_lines(joined, members)
    return _from_document(joined, members)


def _is_lines(head: bytes) -> bool:
    """True when the first line is a whole JSON object and another follows it."""
    first, newline, rest = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not newline or not rest.strip():
        return False
    try:
        return isinstance(jsonio.loads(first), dict)
    except ValueError:
        return False


def _from_lines(stream: Any, members: Sequence[str]) -> Iterator[RawRecord | Skipped]:
    for raw in jsonio.lines(stream):
        if isinstance(raw, Skipped):
            yield raw
            continue
        try:
            value = jsonio.loads(raw.body)
        except ValueError as error:
            yield Skipped(raw.line, str(error))
            continue
        if isinstance(value, dict) and _messages_of(value, members) is not None:
            yield from _whole(value, members, session=_name(value, raw.line), line=raw.line, end=raw.end)
        else:
            yield raw


def _from_document(stream: Any, members: Sequence[str]) -> Iterator[RawRecord | Skipped]:
    try:
        for at, (name, body) in enumerate(jsonio.items(stream, members)):
            yield from _member(name, body, members, at)
    except ValueError as error:
        yield Skipped(0, str(error))


def _member(name: str, body: bytes, members: Sequence[str], at: int) -> Iterator[RawRecord | Skipped]:
    if name in members:
        yield RawRecord(body)
    elif name in _SYSTEM:
        yield RawRecord(b'{"role":"system","content":' + body + b"}")
    elif name == "tools":
        yield RawRecord(b'{"tools":' + body + b"}")
    elif name == "":
        value = jsonio.loads(body)
        if isinstance(value, dict) and _messages_of(value, members) is not None:
            yield from _whole(value, members, session=_name(value, at + 1), line=0, end=0)
        else:
            yield RawRecord(body)


def _messages_of(value: dict[str, Any], members: Sequence[str]) -> list[Any] | None:
    found = next((value[name] for name in chain(members, _ALSO) if isinstance(value.get(name), list)), None)
    return found if "role" not in value else None


def _name(value: dict[str, Any], at: int) -> str:
    named = "-".join(str(value[name]) for name in _NAMES if isinstance(value.get(name), str | int))
    return named or str(at)


def _whole(
    value: dict[str, Any], members: Sequence[str], *, session: str, line: int, end: int
) -> Iterator[RawRecord | Skipped]:
    system = next((value[name] for name in _SYSTEM if name in value), None)
    if system:
        yield RawRecord(jsonio.dumps({"role": "system", "content": system}), line, end, session)
    if isinstance(value.get("tools"), list):
        yield RawRecord(jsonio.dumps({"tools": value["tools"]}), line, end, session)
    for message in _messages_of(value, members) or []:
        yield RawRecord(jsonio.dumps(message), line, end, session)


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
        return piece if self.head else piece + self.stream.readline(size - len(piece))
