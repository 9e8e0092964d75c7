"""Files as tools show them, with a number before each line, and as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

#: "  218→text", "218\\ttext", "99:text", "12. text", " 12 | text".
_NUMBERED = re.compile(r"\s{0,10}(\d{1,7})(→|\t|: ?|\.(?= )| ?\| ?|(?=$))(.*)", re.DOTALL)


class Source(NamedTuple):
    """Lines of a file, the number of the first (0 where nobody knows) and what stands above and below them."""

    lines: list[str]
    first: int
    above: list[str]
    below: list[str]


def source(lines: Sequence[str], first: int = 0) -> Source:
    """The file's own lines; numbers that count up by one are taken off."""
    found = [_NUMBERED.fullmatch(line) for line in lines]
    starts = [at for at, match in enumerate(found) if match]
    if len(starts) * 10 < len(lines) * 6 or not _counts_up(found, starts):
        return Source(list(lines), first, [], [])
    begin, end = starts[0], starts[-1] + 1
    inside = [match[3] if match else line for match, line in zip(found[begin:end], lines[begin:end], strict=True)]
    number = found[begin]
    return Source(inside, int(number[1]) if number else first, list(lines[:begin]), list(lines[end:]))


def is_numbered(lines: Sequence[str]) -> bool:
    found = [_NUMBERED.fullmatch(line[:400]) for line in lines]
    starts = [at for at, match in enumerate(found) if match]
    return len(starts) >= 3 and len(starts) * 10 >= len(lines) * 8 and _counts_up(found, starts)


def _counts_up(found: Sequence[re.Match[str] | None], starts: Sequence[int]) -> bool:
    numbers = [int(match[1]) for at in starts if (match := found[at])]
    steps = sum(after == before + 1 for before, after in pairwise(numbers))
    return len(numbers) > 1 and steps * 10 >= (len(numbers) - 1) * 8
