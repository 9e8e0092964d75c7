"""The sections of a summary: the same eight, in the same order, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

OVERVIEW = "Overview"
FOUNDATION = "Technical foundation"
CODEBASE = "Codebase status"
PROBLEMS = "Problem resolution"
PROGRESS = "Progress"
ACTIVE = "Active work"
RECENT = "Recent operations"
PLAN = "Continuation plan"
SECTIONS = (OVERVIEW, FOUNDATION, CODEBASE, PROBLEMS, PROGRESS, ACTIVE, RECENT, PLAN)
#: Headings that only we write.
KEPT, CARRIED = "Kept verbatim", "Carried over"
FILES = "Files changed: "

_HEADING = re.compile(r"[ \t#*\d.)]{0,12}([A-Za-z][A-Za-z ]{3,24}?)[ \t:*#]{0,6}\Z")
_HEADING_CHARS = 60
_KNOWN = {name.casefold(): name for name in (*SECTIONS, KEPT, CARRIED)}


class SummarySection(NamedTuple):
    """A heading, empty for what stands before the first, and the lines below it."""

    name: str
    lines: list[str]


def heading_in(line: str) -> str:
    """The section that a line opens, or nothing: a heading of ours, however it is marked."""
    match = _HEADING.match(line) if len(line) < _HEADING_CHARS else None
    return _KNOWN.get(match[1].strip().casefold(), "") if match else ""


def sections_of(text: str) -> list[SummarySection]:
    """The text by sections, blank lines left out; ``join_sections`` puts it together again."""
    found = [SummarySection("", [])]
    for line in text.split("\n"):
        if name := heading_in(line):
            found.append(SummarySection(name, []))
        elif line.strip():
            found[-1].lines.append(line.rstrip())
    return [section for section in found if section.lines]


def join_sections(sections: Iterable[SummarySection]) -> str:
    """Joins sections to one text, each below its heading."""
    return "\n".join(line for section in sections for line in _section_lines(section.name, section.lines))


def _section_lines(name: str, lines: Sequence[str]) -> list[str]:
    return [f"## {name}", *lines] if name and lines else list(lines)
