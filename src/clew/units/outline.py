"""Long texts in outline: a plan, a procedure, a letter of a person. Headings and steps stay first, then reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from clew.text.memo import remember
from clew.text.prose import BlockKind, blocks
from clew.text.sentences import sentences
from clew.units.report_units import gives_reason
from clew.units.unit import GAP, clip_middle

#: A text with fewer lines in outline has no structure to show.
LEAST_OUTLINE = 3
#: Characters to which lines without a reason are shortened, and those with one; lines of code that are shown.
_ITEM_CHARS, _REASON_CHARS, _CODE_LINES = (200, 100), 300, 5
_FENCE, _STEP = re.compile(r"\s*(?:```|~~~)"), re.compile(r"\s*\d{1,2}[.)]\s")


class _Rank(IntEnum):
    """What comes first where not all has room: headings and numbered steps, then reasons."""

    STEP = 0
    REASON = 1
    OTHER = 2


class _Line(NamedTuple):
    text: str
    rank: _Rank


@remember(1 << 9)
def outline(text: str, limit: int) -> str:
    """Returns a long text within about ``limit`` characters: whole if it fits, else its headings, items, first
    sentences and reasons, then those shortened that give none, then as many as fit. What has few of them, such as a
    pasted log, keeps its beginning and end."""
    if len(text) <= limit:
        return text
    lines = list(_outline_lines(text))
    if len(lines) < LEAST_OUTLINE:
        return clip_middle(text, limit)
    for most in _ITEM_CHARS:
        lines = [_shorten_line(line, most) for line in lines]
        if len(shortened := "\n".join(line.text for line in lines)) <= limit:
            return shortened
    return _lines_that_fit(lines, limit)


def _lines_that_fit(lines: list[_Line], limit: int) -> str:
    """The lines of the first rank that fit, then of the next ones, in order, with a mark where some are left out."""
    kept: set[int] = set()
    for index in sorted(range(len(lines)), key=lambda index: (lines[index].rank, index)):
        price = len(lines[index].text) + len(GAP) + 2
        if price <= limit:
            kept.add(index)
            limit -= price
    shown = list[str]()
    for index, line in enumerate(lines):
        if index in kept:
            shown.append(line.text)
        elif not shown:
            shown.append(GAP)
        elif not shown[-1].endswith(GAP):
            shown[-1] += f" {GAP}"
    return "\n".join(shown)


def _outline_lines(text: str) -> Iterator[_Line]:
    """Headings, items and table rows whole, of paragraphs the first sentence and reasons, and code of a few lines."""
    for block in blocks(text):
        yield from (_Line(line, _Rank.STEP) for line in block.lead.split("\n") if block.lead)
        lines = [line.strip() for line in block.text.split("\n") if line.strip() and not _FENCE.match(line)]
        if block.kind is BlockKind.PARAGRAPH:
            paragraph_sentences = sentences(" ".join(lines)) or lines
            yield from map(_rank_line, (*paragraph_sentences[:1], *filter(gives_reason, paragraph_sentences[1:])))
        elif block.kind is not BlockKind.CODE:
            yield from map(_rank_line, lines)
        elif len(lines) <= _CODE_LINES:
            yield from (_Line(line, _Rank.OTHER) for line in lines)


def _rank_line(line: str) -> _Line:
    return _Line(line, _Rank.STEP if _STEP.match(line) else _Rank.REASON if gives_reason(line) else _Rank.OTHER)


def _shorten_line(line: _Line, limit: int) -> _Line:
    limit = _REASON_CHARS if gives_reason(line.text) else limit
    return line if len(line.text) <= limit else line._replace(text=line.text[: limit - 2].rsplit(" ", 1)[0] + " …")
