"""What session files of one JSON record a line share: a look at their head, their records, a key by content."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from io import BytesIO
from typing import Any, BinaryIO

from clew.codecs import jsonio
from clew.domain import Json, SkippedRecord
from clew.ports import RawRecord
from clew.text.memo import remember

_MAX_HEAD_LINES = 50
_DECODER = json.JSONDecoder(strict=False)


def content_key(body: bytes) -> str:
    """A key for a record that has none of its own: equal bytes are one record."""
    return "sha:" + blake2b(body, digest_size=16).hexdigest()


@remember(1)
def head_objects(head: bytes) -> tuple[Json, ...]:
    """The objects on the first lines of a file; of one that is cut short, the members that stand whole. One codec after
    the other asks for those of the same file.
    """
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", _MAX_HEAD_LINES)[:_MAX_HEAD_LINES]
    return tuple(value for value in map(_value, lines) if isinstance(value, dict) and value)


def _value(line: bytes) -> Any:
    try:
        return jsonio.loads(line)
    except ValueError:
        return head_members(line)


def head_members(head: bytes) -> Json:
    """The members of a JSON object that stand whole in the first bytes of it."""
    members: Json = {}
    if not head.lstrip().startswith(b"{"):
        return members
    try:
        for name, body, _ in jsonio.items(BytesIO(head)):
            members[name] = jsonio.loads(body)
    except ValueError:
        pass  # cut short: what stands whole is enough to know it by
    return members


def records(stream: BinaryIO) -> Iterator[RawRecord | SkippedRecord]:
    """The lines, and each of several records that share one: a writer that died left no line end, and maybe half a
    record.
    """
    end = 0
    for raw in jsonio.lines(stream):
        if isinstance(raw, RawRecord):
            if b'}{"' in raw.body or _begins_again(raw.body):
                yield from _split_line(raw, end)
            else:
                yield raw
            end = raw.end
        else:
            yield raw


def _begins_again(line: bytes) -> bool:
    """True for a line that is not one whole record, and holds the beginning of another."""
    if line.find(_opening(line), 1) < 0:
        return False
    try:
        jsonio.loads(line)
    except ValueError:
        return True
    return False


def _opening(line: bytes) -> bytes:
    """How a record begins, up to its first value: a client's records begin alike."""
    return line[: line.find(b":") + 1] or line


def _next_whole(text: str, position: int) -> int:
    """Where a record begins, behind half of one, that is whole to the end of the line; the end where none does."""
    opening = text[position : text.find(":", position) + 1] or text
    start = text.find(opening, position + 1)
    while start >= 0:
        try:
            if not text[_DECODER.raw_decode(text, start)[1] :].strip():
                return start
        except (ValueError, RecursionError):
            pass
        start = text.find(opening, start + 1)
    return len(text)


def _split_line(raw: RawRecord, before: int) -> Iterator[RawRecord]:
    """The records of one line. All but the last end where the line begins: reading on there finds all again."""
    text, position = raw.body.decode("utf-8", "surrogateescape"), 0
    pieces = []
    while position < len(text):
        try:
            _, stop = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            stop = _next_whole(text, position)
        pieces.append(text[position:stop])
        position = stop
    if len(pieces) == 1:
        yield raw
        return
    for piece in pieces[:-1]:
        yield RawRecord(piece.encode("utf-8", "surrogateescape"), raw.line, before)
    yield RawRecord(pieces[-1].encode("utf-8", "surrogateescape"), raw.line, raw.end)
