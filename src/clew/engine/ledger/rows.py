"""Rows of one projection in one session, as JSON values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import orjson

from clew.codecs import jsonio
from clew.domain import SessionKey
from clew.engine.ledger.blob_texts import find_text, text_blobs
from clew.ports import Store

#: A row that begins so holds integers beyond 64 bits, which the fast reader would round. To JSON it is white space.
_EXACT = b" "


class SessionRows:
    """Implements ``Rows`` on a store. Writes stay in memory until ``flush``."""

    def __init__(
        self, store: Store, key: SessionKey, projection: str, *, reach: Callable[[str], object] | None = None
    ) -> None:
        """``reach`` brings another projection up to date before its rows are handed out."""
        self._store, self._key, self._projection, self._reach = store, key, projection, reach
        self._changed: dict[str, bytes | None] = {}
        self._read: dict[str, Any] = {}
        #: Whether any row was set or removed, also where that was written since.
        self.has_changed = False

    def get(self, name: str) -> Any:
        """Returns the value of a row; None where there is none. A row is read from the store once."""
        if name not in self._read:
            raw = self._store.row(self._key, self._projection, name)
            self._read[name] = None if raw is None else row_value(raw)
        return self._read[name]

    def put(self, name: str, value: Any) -> None:
        """Sets a row in memory."""
        self._read[name], self.has_changed = value, True
        self._changed[name] = row_bytes(value)

    def remove(self, name: str) -> None:
        """Removes a row, in memory."""
        self._read[name], self.has_changed = None, True
        self._changed[name] = None

    def scan(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, Any]]:
        """Returns rows with start <= name < stop; with ``last``, only that many from the end."""
        return [(name, row_value(raw)) for name, raw in self.raw(start, stop, last=last)]

    def raw(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, bytes]]:
        """Like ``scan``, with values as they are stored; flushes where rows of the range have changed."""
        if any(start <= name and (stop is None or name < stop) for name in self._changed):
            self.flush()
        return self._store.rows(self._key, self._projection, start=start or "\x00", stop=stop, last=last)

    def put_blob(self, text: str) -> None:
        """Stores a whole text as a blob at once."""
        self._store.put_blobs(self._key, text_blobs([text]))

    def blob(self, id: str) -> str | None:
        """Returns the text of a blob id; None where it names none, or several."""
        return find_text(self._store, self._key, id)

    def put_words(self, words: Mapping[int, Collection[str] | None]) -> None:
        """Sets the words of messages in the word index at once."""
        self._store.put_words(self._key, words)

    def of(self, projection: str) -> SessionRows:
        """Returns the rows of another projection of the same session."""
        if self._reach is not None:
            self._reach(projection)
        return SessionRows(self._store, self._key, projection)

    def flush(self) -> None:
        """Writes changed rows to the store."""
        if self._changed:
            self._store.put_rows(self._key, self._projection, self._changed)
            self._changed = {}


def row_bytes(value: Any) -> bytes:
    """Returns a value as a store keeps it."""
    try:
        return jsonio.trimmed(orjson.dumps(value))
    except TypeError:
        return _EXACT + jsonio.dumps(value)


def row_value(raw: bytes) -> Any:
    """Returns the value that a store keeps, every integer as it was."""
    return jsonio.loads(raw) if raw[:1] == _EXACT else orjson.loads(raw)
