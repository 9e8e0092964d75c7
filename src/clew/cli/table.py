"""Tables as wide as the terminal, without rich: importing that takes longer than most commands do."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from itertools import pairwise
from unicodedata import category, east_asian_width

_GAP = 2
#: Columns that the shortened column keeps at least, and those below which others give way.
_LEAST, _READABLE = 8, 14
#: No column gets narrower than this, whatever the terminal.
_NARROWEST = 4
#: Characters up to which an id stays whole, and that are shown of a longer one at least.
_WHOLE_ID, _SHORT_ID = 14, 8


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    cut: str = "",
    drop: Sequence[str] = (),
) -> list[str]:
    """Returns the lines of a table. The column named ``cut`` is shortened when there is too little room; before it gets
    too short to read, those in ``drop`` are left out, the first named first.

    Without a terminal, and where COLUMNS does not say otherwise, there is room for 80 columns.
    """
    cells = [list(columns), *(list(row) for row in rows)]
    widths = [max(width(row[index]) for row in cells) for index in range(len(columns))]
    if cut:
        index = columns.index(cut)
        room = shutil.get_terminal_size().columns - (sum(widths) - widths[index] + _GAP * (len(columns) - 1))
        if room < min(widths[index], _READABLE) and drop:
            numbers = [number for number, name in enumerate(columns) if name != drop[0]]
            fewer = [[row[number] for number in numbers] for row in cells]
            return table(fewer[0], fewer[1:], right=right, cut=cut, drop=drop[1:])
        widths[index] = min(widths[index], max(room, _LEAST))
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        widths = _narrow_widths(widths, shutil.get_terminal_size().columns)
    lines = [_line(row, widths, [name in right for name in columns]) for row in cells]
    return [lines[0], "─" * (sum(widths) + _GAP * (len(widths) - 1)), *lines[1:]]


def _narrow_widths(widths: Sequence[int], columns: int) -> list[int]:
    """The widths, the widest of them smaller by what they take more than a terminal has."""
    narrowed = list(widths)
    over = sum(narrowed) + _GAP * (len(narrowed) - 1) - columns
    while over > 0 and max(narrowed) > _NARROWEST:
        narrowed[narrowed.index(max(narrowed))] -= 1
        over -= 1
    return narrowed


def short_ids(ids: Sequence[str]) -> list[str]:
    """Returns the beginning of each id that no other one has, as short as possible; an id that is short stays whole."""
    order = sorted(set(ids))
    shared = [_shared_chars(*pair) for pair in pairwise(order)]
    most = {id: max(pair) + 1 for id, pair in zip(order, zip([0, *shared], [*shared, 0], strict=True), strict=True)}
    return [id if len(id) <= _WHOLE_ID else id[: max(most[id], _SHORT_ID)] for id in ids]


def _shared_chars(text: str, other: str) -> int:
    same = (index for index, (a, b) in enumerate(zip(text, other, strict=False)) if a != b)
    return next(same, min(len(text), len(other)))


def width(text: str) -> int:
    """Returns how many columns of a terminal a text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_width(char) for char in text)


def clip_to_columns(text: str, columns: int) -> str:
    """Returns the text, with its end cut off where it takes more columns than these."""
    if width(text) <= columns:
        return text
    room, kept = columns - 1, ""
    for char in text:
        room -= _width(char)
        if room < 0:
            break
        kept += char
    return kept + "…"


def _width(char: str) -> int:
    if category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    out = []
    for cell, room, is_right in zip(row, widths, right, strict=True):
        text = clip_to_columns(cell, room)
        blank = " " * (room - width(text))
        out.append(blank + text if is_right else text + blank)
    return (" " * _GAP).join(out).rstrip()
