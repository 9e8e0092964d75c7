"""Line numbers that tools print before each line of a file, taken off and kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

#: "  218→text", "218\\ttext", "99:text", "12. text", " 12 | text".
_NUMBERED = re.compile(r"\s{0,10}(\d{1,7})(→|\t|: ?|\.(?= )| ?\| ?|(?=$))(.*)", re.DOTALL)


class SourceFile(NamedTuple):
    """Lines of a file, the number of each (none where nobody knows) and what stands above and below them."""

    lines: list[str]
    numbers: Sequence[int]
    above: list[str]
    below: list[str]


def parse_source(lines: Sequence[str], first: int = 0) -> SourceFile:
    """The file's own lines; numbers that count up by one are taken off, and believed where they jump."""
    found = [_NUMBERED.fullmatch(line) for line in lines]
    starts = [at for at, match in enumerate(found) if match]
    if len(starts) * 10 < len(lines) * 6 or not _counts_up(found, starts):
        return SourceFile(list(lines), range(first, first + len(lines)) if first else (), [], [])
    inside, numbers = list[str](), list[int]()
    for at in range(starts[0], starts[-1] + 1):
        match = found[at]
        inside.append(match[3] if match else lines[at])
        numbers.append(int(match[1]) if match else numbers[-1])
    return SourceFile(inside, numbers, list(lines[: starts[0]]), list(lines[starts[-1] + 1 :]))


def is_numbered(lines: Sequence[str]) -> bool:
    """True when nearly all lines begin with numbers that count up."""
    if sum(1 for line in lines if line.lstrip()[:1].isdigit()) * 10 < len(lines) * 8:
        return False
    found = [_NUMBERED.fullmatch(line[:400]) for line in lines]
    starts = [at for at, match in enumerate(found) if match]
    return len(starts) >= 3 and len(starts) * 10 >= len(lines) * 8 and _counts_up(found, starts)


def _counts_up(found: Sequence[re.Match[str] | None], starts: Sequence[int]) -> bool:
    numbers = [int(match[1]) for at in starts if (match := found[at])]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) > 1 and steps * 10 >= (len(numbers) - 1) * 8
