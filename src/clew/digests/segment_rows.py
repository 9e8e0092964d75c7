"""Reads the rows of the segments projection: which segment a message belongs to, and its id, size and state.

Rows of digests are named here: ``draft/`` facts of a segment, ``trio/`` its header and summary once it is finished,
``moved/`` the segment of a new version of a message.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from clew.domain.ids import SegmentId
from clew.history.segments import row_name
from clew.ports import Rows

DRAFT, TRIO, MOVED = "draft/", "trio/", "moved/"


def exchange_of(name: str) -> str:
    """Returns the part of a row's name that segments of one exchange share."""
    return name.split(".", maxsplit=1)[0]


class SegmentRows:
    """Rows of segments from one on, read on first use. Earlier ones are read only if a message needs them."""

    def __init__(self, rows: Rows, start: str = "") -> None:
        self._rows, self._start = rows, start or "0"
        self._known: dict[str, Any] = {}
        self._names: list[str] = []
        self._firsts: list[int] = []
        self._is_read = False

    def name_at(self, number: int) -> str:
        """Returns the row name of the segment that holds the message with this number; empty if none does."""
        if not self._is_read:
            self._read(self._start)
        if self._start != "0" and (not self._firsts or number < self._firsts[0]):
            self._read("0")
        index = bisect_right(self._firsts, number) - 1
        return self._names[index] if index >= 0 else ""

    def id_of(self, name: str) -> str:
        """Returns x7 while the segment is all of its exchange, x7.1 once there is a second one."""
        exchange, part = (int(piece) for piece in name.split("."))
        is_all = part == 1 and self._rows.get(row_name(exchange, 2)) is None
        return str(SegmentId(exchange, 0 if is_all else part))

    def tokens_of(self, name: str) -> int:
        """Returns the tokens of a segment."""
        return int(self._row(name).get("tokens", 0))

    def is_rolled_back(self, name: str) -> bool:
        """Returns True when a rollback took the segment out of the prompt view."""
        return bool(self._row(name).get("left"))

    def _row(self, name: str) -> dict[str, Any]:
        return self._known.get(name) or self._rows.get(name) or {}

    def _read(self, start: str) -> None:
        self._start, self._known, self._is_read = start, dict(self._rows.scan(start)), True
        self._names = list(self._known)
        self._firsts = [int(row["first"]) for row in self._known.values()]
