"""Blocks: what session files in Markdown are cut into, and the wire record that keeps one of them.

A block is a run of lines with one speaker. Its record holds the lines as they stand in the file, so that
a codec reads it without the file. The blank lines between two blocks belong to the later one: the last
block of a file stays as it is when more is written after it.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import BinaryIO, NamedTuple

from clew.codecs import jsonio
from clew.codecs.fields import parse_timestamp
from clew.domain import Message, Record, SessionFacts, SkippedRecord
from clew.ports import RawRecord

#: A longer run of lines goes on in a further block, so that memory stays bounded.
MAX_BLOCK_CHARS = 16 << 20
#: How bytes that are no UTF-8 stand in the text of a line.
_FOREIGN = re.compile("[\udc80-\udcff]")
#: More blank lines than this are content.
_MAX_GAP_LINES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownBlock:
    """Lines of one speaker; ``n`` counts the blocks of the session from 0. Empty fields are not known."""

    speaker: str
    text: str = ""
    n: int = 0
    session: str = ""
    at: str = ""
    model: str = ""
    thread: str = ""


_NAMES = tuple(field.name for field in fields(MarkdownBlock))


class BlockLine(NamedTuple):
    """A line of a file: it begins a block, stands in the gap before the next, or goes on with the last."""

    text: str
    begins: MarkdownBlock | None = None
    gap: bool = False


def text_lines(stream: BinaryIO) -> Iterator[str]:
    """Lines with their ends, in pieces where they are too long to hold; bytes that are no UTF-8 are lone surrogates."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    whole, mark = True, "\ufeff"
    while line := stream.readline(MAX_BLOCK_CHARS):
        before, whole = whole, line.endswith(b"\n")
        text = line.decode("utf-8", "surrogateescape") if before and whole else decoder.decode(line, final=whole)
        yield text.removeprefix(mark)
        mark = ""
    if rest := decoder.decode(b"", final=True):
        yield rest


def block_records(lines: Iterable[BlockLine]) -> Iterator[RawRecord | SkippedRecord]:
    """Joins marked lines into the wire records of their blocks. What stands before the first block is left out."""
    block: MarkdownBlock | None = None
    held: list[str] = []
    gap: list[str] = []
    size, number = 0, 1
    for line in lines:
        if not line.text.isascii() and _FOREIGN.search(line.text):
            yield jsonio.not_utf8(number)
        number += line.text.endswith("\n")
        if line.gap and len(gap) < _MAX_GAP_LINES:
            gap.append(line.text)
            continue
        if line.begins or (block and size > MAX_BLOCK_CHARS):
            if block and held:
                yield _raw(block, held)
            block = _next(block, line.begins)
            held, size = [], 0
        held += [*gap, line.text]
        gap = []
        size += len(line.text)
    if block and held:
        yield _raw(block, held)


def _next(block: MarkdownBlock | None, begins: MarkdownBlock | None) -> MarkdownBlock | None:
    following = begins or block
    if block is None or following is None:
        return following
    return replace(following, n=block.n + 1 if block.session == following.session else 0)


def _raw(block: MarkdownBlock, lines: list[str]) -> RawRecord:
    """Without a line number: what a block says rests on those before it, so nobody can read on from its place."""
    data = {name: getattr(block, name) for name in _NAMES} | {"text": "".join(lines)}
    body = jsonio.dumps_exact({name: value for name, value in data.items() if value != ""})
    return RawRecord(body, session=block.session)


def read_block(body: bytes) -> MarkdownBlock:
    """The block of a wire record; ValueError when it is none."""
    data = jsonio.loads_object(body)
    fields = {name: data[name] for name in _NAMES if name in data}
    n = fields.pop("n", 0)
    if (
        "speaker" not in fields
        or not isinstance(n, int)
        or not all(isinstance(value, str) for value in fields.values())
    ):
        raise ValueError("no block of a Markdown session file")
    return MarkdownBlock(n=n, **fields)


def to_record(block: MarkdownBlock, message: Message | None, *, facts: SessionFacts, name: str = "") -> Record:
    """A block that was read before is skipped; one that grew at its place is a new version of its message.

    ``name`` is the message's own, where the file gives one.
    """
    group = name or f"{block.session}#{block.n}"
    digest = hashlib.sha256(block.text.encode("utf-8", "replace")).hexdigest()[:24]
    return Record(
        key=f"{group}:{digest}",
        group=group if message else "",
        revises=message is not None,
        message=message,
        at=parse_timestamp(block.at),
        facts=facts,
    )
