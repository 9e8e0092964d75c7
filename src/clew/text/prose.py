"""Prose in whole pieces: paragraphs, lists, tables and code, each with the heading or line that leads to it.

A piece can be quoted alone and still be understood: no list without its lead, no table without its header, no code
without its fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from clew.text.memo import remember

FENCE = re.compile(r"\s{0,40}(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}(?:#{1,6}\s+\S|\*\*[^*\n]{2,90}\*\*:?\s*$)")
_ITEM = re.compile(r"\s{0,40}(?:[-*•+]|\d{1,2}[.)])\s+\S")
#: A paragraph that ends with a colon and is no longer than this leads to what follows.
_MAX_LEAD_CHARS = 400


class BlockKind(StrEnum):
    """Kind of a piece of prose."""

    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"


class Block(NamedTuple):
    """A piece of prose; ``lead`` is the heading or line before it, empty if there is none."""

    kind: BlockKind
    text: str
    lead: str = ""

    @property
    def whole(self) -> str:
        """The text after its lead."""
        return f"{self.lead}\n{self.text}" if self.lead and self.text else self.lead or self.text


def is_heading(line: str) -> bool:
    """Returns True for a line that is a heading: marked with hashes, or in bold alone."""
    return _HEADING.match(line) is not None


def is_item(line: str) -> bool:
    """Returns True for a line that begins a list item."""
    return _ITEM.match(line) is not None


@remember(1 << 10)  # a message is read again with each story and pack
def blocks(text: str) -> tuple[Block, ...]:
    """Returns the pieces of a text in order. Headings and leading lines stand with what they lead to."""
    blocks: list[Block] = []
    leads: list[str] = []
    for kind, lines in _runs(text):
        piece = "\n".join(lines)
        if kind is None or (kind is BlockKind.PARAGRAPH and _leads(piece)):
            if kind is None and leads:  # they lead to nothing
                blocks.append(Block(BlockKind.PARAGRAPH, "", "\n".join(leads)))
                leads = []
            leads.append(piece)
            continue
        blocks.append(Block(kind, piece, "\n".join(leads)))
        leads = []
    return (*blocks, Block(BlockKind.PARAGRAPH, "", "\n".join(leads))) if leads else tuple(blocks)


def _leads(paragraph: str) -> bool:
    return paragraph.rstrip("*_ ").endswith(":") and len(paragraph) <= _MAX_LEAD_CHARS


def _runs(text: str) -> Iterator[tuple[BlockKind | None, list[str]]]:
    """Lines of one kind that stand together, without blank ones; headings have no kind."""
    kind, lines = BlockKind.PARAGRAPH, list[str]()
    in_code, after_blank = False, False
    for line in text.split("\n"):
        if FENCE.match(line):
            if not in_code and lines:
                yield kind, lines
                lines = []
            kind, in_code = BlockKind.CODE, not in_code
            lines.append(line)
            if not in_code:
                yield kind, lines
                lines = []
        elif in_code:
            lines.append(line)
        elif not line.strip():
            after_blank = True
            continue
        else:
            here = _kind_of(line, kind if lines else None, after_blank=after_blank)
            if lines and (here is not kind or (after_blank and here is not BlockKind.LIST)):
                yield kind, lines
                lines = []
            if here is None:
                yield None, [line.strip()]
            else:
                kind = here
                lines.append(line.rstrip())
        after_blank = False
    if lines:
        yield kind, lines


def _kind_of(line: str, before: BlockKind | None, *, after_blank: bool) -> BlockKind | None:
    """The kind of a line; one that is moved in goes on with the list before it."""
    if before is BlockKind.LIST and line[:1] in " \t" and not after_blank:
        return BlockKind.LIST
    if _HEADING.match(line):
        return None
    if line.lstrip().startswith("|"):
        return BlockKind.TABLE
    return BlockKind.LIST if _ITEM.match(line) else BlockKind.PARAGRAPH
