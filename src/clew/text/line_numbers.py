"""Lines that tools show with their numbers before them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = re.compile(r"^[ \t]{0,10}(\d{1,7})(?:→|\t|\| )", re.MULTILINE)


def without_line_numbers(text: str) -> str:
    """Returns a text without the numbers before its lines."""
    return _NUMBER.sub("", text)


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of a text that have a number before them, with it."""
    for line in text.split("\n"):
        if match := _NUMBER.match(line):
            yield int(match[1]), line[match.end() :]
