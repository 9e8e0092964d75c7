"""Rows of a store that is a file, read without opening the store: for a status line, which has a tenth of a second, and
would wait longer for the modules alone. It only reads, and waits for nobody who writes.
"""

from __future__ import annotations

import apsw

from clew.storage.compression import decompress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

#: Tenant, user and session.
Key = tuple[str, str, str]
_BUSY_MILLISECONDS = 20
_SESSION = "SELECT tenant, user, info FROM sessions WHERE session = ? ORDER BY user <> ? LIMIT 1"
_ROWS = (
    "SELECT name, kept, body FROM projected"
    " WHERE tenant = ? AND user = ? AND session = ? AND projection = ? AND name >= ? AND name < ?"
    " ORDER BY name DESC LIMIT ?"
)


class QuickRows:
    """A store's file, read in a ``with`` block. ``row`` and ``rows`` are as those of ``clew.ports.Store``."""

    def __init__(self, path: str) -> None:
        self._db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        self._db.setbusytimeout(_BUSY_MILLISECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def session(self, id: str, user: str) -> tuple[Key, bytes] | None:
        """Returns the key of a session and what is stored of it, that of the user rather than of another; None for one
        that is not there.
        """
        found = self._db.execute(_SESSION, (id, user)).fetchone()
        return ((found[0], found[1], id), found[2]) if found else None

    def row(self, key: Key, projection: str, name: str) -> bytes | None:
        return next((body for _, body in self.rows(key, projection, start=name, stop=f"{name}\0")), None)

    def rows(self, key: Key, projection: str, *, start: str, stop: str, last: int = -1) -> list[tuple[str, bytes]]:
        limits = (start.encode("utf-8", "surrogatepass"), stop.encode("utf-8", "surrogatepass"), last)
        found = self._db.execute(_ROWS, (*key, projection, *limits)).fetchall()
        return [(name.decode("utf-8", "surrogatepass"), decompress(kept, body)) for name, kept, body in reversed(found)]
