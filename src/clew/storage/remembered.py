"""What a thread has read of a store, or written to it, and need not read again while nobody else commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clew.domain import Entry, SessionInfo, SessionKey

#: So many values are remembered before all are forgotten, and no more of one call: an import is read by nobody.
_MOST, _MOST_OF_CALL = 2048, 128
#: They are counted once in so many calls: counting those of a hundred sessions takes longer than reading one of them.
_CALLS = 32
#: A longer entry is read again.
_LONGEST_BYTES = 1 << 14

Row = tuple[str, bytes]


class RowRange(NamedTuple):
    """Which rows of a projection were asked for."""

    start: str
    stop: str | None
    last: int | None

    def holds(self, name: str) -> bool:
        """Whether a row of that name is one of them; with ``last``, whether it may be."""
        return self.start <= name and (self.stop is None or name < self.stop)


class RememberedSession:
    """Rows, the newest entries and the row of one session."""

    def __init__(self) -> None:
        self.info: tuple[SessionInfo | None] | None = None
        self.last_entry: int | None = None
        self.last_message: int | None = None
        self.rows: dict[str, dict[str, bytes | None]] = {}
        self.ranges: dict[str, dict[RowRange, list[Row]]] = {}
        self._entries: dict[int, Entry] = {}
        self._of_messages: dict[int, list[int]] = {}

    def put_rows(self, projection: str, rows: Mapping[str, bytes | None]) -> None:
        """Notes rows that were written."""
        if len(rows) > _MOST_OF_CALL:
            self.clear_rows(projection)
            return
        self.rows.setdefault(projection, {}).update(rows)
        known = self.ranges.get(projection, {})
        for asked in [asked for asked in known if any(map(asked.holds, rows))]:
            del known[asked]

    def add_range(self, projection: str, asked: RowRange, rows: list[Row]) -> None:
        """Notes rows that were read together."""
        if len(rows) <= _MOST_OF_CALL:
            self.ranges.setdefault(projection, {})[asked] = rows

    def clear_rows(self, projection: str) -> None:
        """Forgets what was known of a projection."""
        self.rows.pop(projection, None)
        self.ranges.pop(projection, None)

    def append(self, entries: Sequence[Entry]) -> None:
        """Notes entries that were appended. All is known of a message whose number is higher than any before."""
        if len(entries) > _MOST_OF_CALL or any(len(entry.body) > _LONGEST_BYTES for entry in entries):
            self.forget_entries()
            return
        for entry in entries:
            self._entries[entry.seq] = entry
            self.last_entry = entry.seq
            if self.last_message is not None and entry.message > self.last_message:
                self._of_messages[entry.message] = []
                self.last_message = entry.message
            if entry.message in self._of_messages:
                self._of_messages[entry.message].append(entry.seq)

    def add_messages(self, first: int, last: int, entries: Sequence[Entry]) -> None:
        """Notes all entries of the messages with these numbers, as they were read."""
        if last - first >= _MOST_OF_CALL or any(len(entry.body) > _LONGEST_BYTES for entry in entries):
            return
        self._of_messages |= {number: [] for number in range(first, last + 1)}
        for entry in entries:
            self._entries[entry.seq] = entry
            self._of_messages[entry.message].append(entry.seq)

    def forget_entries(self) -> None:
        """Forgets entries."""
        self.last_entry = self.last_message = None
        self._entries.clear()
        self._of_messages.clear()

    def entries(self, after: int, until: int) -> list[Entry] | None:
        """Returns entries with after < seq <= until; None where some are not known."""
        if until - after > _MOST_OF_CALL:
            return None
        found = [self._entries.get(seq) for seq in range(after + 1, until + 1)]
        return [entry for entry in found if entry] if all(found) else None

    def entries_of(self, first: int, last: int) -> list[Entry] | None:
        """Returns the entries of the messages with numbers first to last, in order; None where some are not known."""
        if last - first >= _MOST_OF_CALL:
            return None
        found = [self._of_messages.get(number) for number in range(first, last + 1)]
        numbers = [seq for seqs in found for seq in seqs or ()]
        return [self._entries[seq] for seq in sorted(numbers)] if None not in found else None

    def __len__(self) -> int:
        return len(self._entries) + sum(map(len, self.rows.values())) + sum(map(len, self.ranges.values()))


class Remembered:
    """What one thread remembers of all sessions. Whoever writes keeps it true."""

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, RememberedSession] = {}
        self._calls = 0
        self.values: dict[tuple[str, str, str], dict[str, bytes]] = {}

    def session(self, key: SessionKey) -> RememberedSession:
        """Returns what is remembered of a session."""
        if key not in self._sessions:
            self._sessions[key] = RememberedSession()
        return self._sessions[key]

    def clear(self) -> None:
        """Forgets everything."""
        self._sessions.clear()
        self.values.clear()

    def is_full(self) -> bool:
        """Returns True where it is time to forget. It is asked at each call."""
        self._calls += 1
        is_counted = self._calls % _CALLS == 0
        return len(self._sessions) > _MOST_OF_CALL or (is_counted and sum(map(len, self._sessions.values())) > _MOST)


__all__ = ["Remembered", "RememberedSession", "RowRange"]
