"""Scans texts for the work map: lines that an edit leaves, definitions in what was read, files that a search showed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import log2

from clew.text.definitions import DEFINITION
from clew.text.names import is_noise, name_counts, path_mentions
from clew.text.tools.actions import Action, TextEdit

#: An output is looked at this far: what an agent goes on with stands early in it, or is read again.
MAX_OUTPUT_CHARS = 16_000
#: Files taken from one output; a listing of more is a listing, not a set of files to work on.
MAX_SEEN = 120
#: Lines of a file's present text that are kept after an edit, and how much of a long one.
EXCERPT_LINES = 10
LINE_CHARS = 160
#: Definitions kept for a file, newest read first.
MAX_DEFINITIONS = 24
#: Names taken from one text for one file.
_MAX_NAMES = 60

_NUMBER = r"[ \t]{0,12}(?:L?(\d{1,7})(?:→|\t|:[ \t]?|\.[ ]|[ ]?\||-))?"
_DEFINITION = re.compile(rf"^{_NUMBER}({DEFINITION}.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^[ \t]*(\d{1,7})(?:→|\t|:|-)(.*)$", re.MULTILINE)
_AT_LINE = re.compile(r"(?::|, line |\()(\d{1,7})")


def kept_line(line: str) -> str:
    """Returns a line in the form in which lines are stored and compared."""
    return line.rstrip()[:LINE_CHARS]


def lines_of(text: str) -> list[str]:
    """Splits a text into lines in the form in which they are stored."""
    return [kept_line(line) for line in text.split("\n")]


def removed_lines(change: TextEdit) -> set[str]:
    """Returns the lines, without indentation, that are no longer there after a change."""
    return {line.strip() for line in lines_of(change.old)} - {line.strip() for line in lines_of(change.new)}


def excerpt(change: TextEdit) -> list[str]:
    """Returns a few lines of the new text, from just before the first that is new."""
    old, new = {line.strip() for line in lines_of(change.old)}, lines_of(change.new)
    fresh = [index for index, line in enumerate(new) if line.strip() and line.strip() not in old]
    start = max(0, fresh[0] - 1) if fresh else 0
    return without_blank_ends(new[start : start + EXCERPT_LINES] if fresh else new[:3])


def without_blank_ends(lines: list[str]) -> list[str]:
    """Returns lines without the empty ones at both ends."""
    while lines and not lines[0].strip():
        lines = lines[1:]
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


def definitions(text: str, first_line: int) -> list[tuple[int, str]]:
    """Returns lines that define something, each with its number.

    Numbers are those that the tool printed, or counted from ``first_line``; 0 if unknown.
    """
    text = text[:MAX_OUTPUT_CHARS]
    definitions, line, position = [], first_line, 0
    for match in _DEFINITION.finditer(text):
        number = int(match[1]) if match[1] else 0
        if not number and first_line:
            line += text.count("\n", position, match.start())
            position, number = match.start(), line
        definitions.append((number, kept_line(match[2]).strip()))
    return definitions


def numbered_span(text: str) -> tuple[int, int] | None:
    """Returns the first and last line number of a snippet that a tool shows after an edit."""
    numbers = [int(match[1]) for match in _NUMBERED.finditer(text[:MAX_OUTPUT_CHARS])]
    return (min(numbers), max(numbers)) if len(numbers) > 1 else None


def score_names(text: str, weight: float = 1.0) -> dict[str, float]:
    """Scores the names of a text by how often they occur.

    Where there are many, the best are kept; of equal ones, those that come first.
    """
    weights = {name: weight * (1 + log2(count)) for name, count in name_counts(text).items() if not is_noise(name)}
    if len(weights) <= _MAX_NAMES:
        return weights
    return dict(sorted(weights.items(), key=lambda item: -item[1])[:_MAX_NAMES])


def changed_text(action: Action) -> tuple[str, str]:
    """Returns the lines that an edit put in, and the lines around them that it quotes."""
    fresh: list[str] = []
    around: list[str] = []
    for change in action.changes:
        old = {line.strip() for line in change.old.split("\n")}
        for line in change.new.split("\n"):
            (around if line.strip() in old else fresh).append(line)
    return "\n".join(fresh), "\n".join(around)


def files_shown(text: str) -> Iterator[tuple[str, int, str]]:
    """Yields the files that a text shows: path, line number where one follows (else 0), and what stands beside it.

    A search that groups its matches names the file once, on a line of its own, before them.
    """
    heading, seen = "", 0
    for line in text[:MAX_OUTPUT_CHARS].split("\n"):
        line = line[: 4 * LINE_CHARS]
        mentions = list(path_mentions(line)) if "." in line or "file" in line else []
        for end, path in mentions[:4]:
            number = _AT_LINE.match(line, end)
            yield path, int(number[1]) if number else 0, line
            seen += 1
        if mentions:
            heading = mentions[0][1] if line.strip() == mentions[0][1] else ""
        elif heading and (match := _NUMBERED.match(line)):
            yield heading, int(match[1]), match[2]
        elif not line.strip():
            heading = ""
        if seen >= MAX_SEEN:
            return
