"""The follower: imports from a file whenever it has changed since the last poll."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from clew.engine.ingest.importer import ImportReport


class Follower:
    """Follows one file. ``read`` imports what is new in it."""

    def __init__(self, path: Path | str, read: Callable[[], list[ImportReport]]) -> None:
        self._path, self._read = Path(path), read
        self._seen: tuple[int, int] | None = None

    def poll(self) -> list[ImportReport]:
        """Imports what is new and returns the reports; an empty list while the file is unchanged, empty or missing."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return []
        now = (status.st_size, status.st_mtime_ns)
        if now == self._seen or status.st_size == 0:
            return []
        self._seen = now
        return self._read()
