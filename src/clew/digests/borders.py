"""Which segment a message belongs to, as the segments projection has stored it."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from clew.history.segments import row_name
from clew.ports import Rows


class Borders:
    """The segments from a row on, read when they are asked for; and the ones before it, if need be."""

    def __init__(self, rows: Rows, start: str = "") -> None:
        self._rows, self._start = rows, start or "0"
        self._known: dict[str, Any] = {}
        self._names: list[str] = []
        self._firsts: list[int] = []
        self._is_read = False

    def of(self, number: int) -> str:
        """The segment's row name, or nothing for a message that stands in none."""
        if not self._is_read:
            self._read(self._start)
        if self._start != "0" and (not self._firsts or number < self._firsts[0]):
            self._read("0")
        at = bisect_right(self._firsts, number) - 1
        return self._names[at] if at >= 0 else ""

    def id(self, name: str) -> str:
        """x7 while it is all of its exchange, x7.1 once there is more."""
        exchange, part = (int(piece) for piece in name.split("."))
        is_all = part == 1 and self._rows.get(row_name(exchange, 2)) is None
        return f"x{exchange}" if is_all else f"x{exchange}.{part}"

    def tokens(self, name: str) -> int:
        return int(self._row(name).get("tokens", 0))

    def is_left(self, name: str) -> bool:
        """True when a rollback took it out of the prompt view."""
        return bool(self._row(name).get("left"))

    def _row(self, name: str) -> dict[str, Any]:
        return self._known.get(name) or self._rows.get(name) or {}

    def _read(self, start: str) -> None:
        self._start, self._known, self._is_read = start, dict(self._rows.scan(start)), True
        self._names = list(self._known)
        self._firsts = [int(row["first"]) for row in self._known.values()]
