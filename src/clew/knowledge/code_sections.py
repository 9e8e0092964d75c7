"""Sections of source code: functions, classes and what they hold, told by indentation and blank lines alone.

That is the same for all languages that people indent, and needs no grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.knowledge.sections import Section
from clew.ports import TokenCounter

#: A line that goes on with the block above it, though it is no further in.
_GOES_ON = re.compile(r"\s*(?:[)\]}]|else\b|elif\b|except\b|finally\b|catch\b|end\b|then\b|do\b|\{)")
#: A line that belongs to the definition below it: a decorator, an attribute or a comment.
_LEADS_IN = re.compile(r"\s*(?:@|#|//|/\*|\*|--|;;)")
#: Deeper nesting is cut like a text.
_MOST_LEVELS = 4


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def code_sections(text: str, *, size: int, count: TokenCounter) -> list[Section]:
    """Returns the definitions of a file as sections; one larger than ``size`` tokens falls into what it holds, under
    the line that it begins with.
    """
    return list(_sections(_lines(text), (), text=text, size=size, count=count))


def _sections(
    lines: Sequence[_Line], headings: tuple[str, ...], *, text: str, size: int, count: TokenCounter
) -> Iterator[Section]:
    for block in _blocks(lines):
        start, end = block[0].start, block[-1].end
        if count(text[start:end]) <= size or len(headings) >= _MOST_LEVELS:
            yield Section(start, end, headings)
            continue
        head = next((index for index, line in enumerate(block) if not _LEADS_IN.match(line.text)), 0)
        inner = block[head + 1 :]
        title = block[head].text.strip().rstrip("{:").strip()
        if not inner or len(_blocks(inner)) < 2:
            yield Section(start, end, (*headings, title))
            continue
        yield Section(start, block[head].end, headings)
        yield from _sections(inner, (*headings, title), text=text, size=size, count=count)


def _blocks(lines: Sequence[_Line]) -> list[list[_Line]]:
    """The lines as blocks: each begins with a line as far out as any, and holds what is further in."""
    outer = min((line.indent for line in lines if not line.is_blank), default=0)
    blocks: list[list[_Line]] = []
    is_led_in = False
    for line in lines:
        begins = not line.is_blank and line.indent <= outer and not _GOES_ON.match(line.text)
        if not blocks or (begins and not is_led_in and _is_apart(blocks[-1], line)):
            blocks.append([])
        blocks[-1].append(line)
        if not line.is_blank and line.indent <= outer:
            is_led_in = bool(_LEADS_IN.match(line.text))
    return blocks


def _is_apart(block: Sequence[_Line], line: _Line) -> bool:
    """Lines that follow each other without a blank one, and hold nothing, are one run: imports, constants."""
    return block[-1].is_blank or block[-1].indent > line.indent or bool(_GOES_ON.match(block[-1].text))


def _lines(text: str) -> list[_Line]:
    lines, offset = [], 0
    for line in text.splitlines(keepends=True):
        lines.append(_Line(offset, offset + len(line), line.rstrip("\n")))
        offset += len(line)
    return lines
