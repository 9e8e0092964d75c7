"""File cursors: how far each transcript file was read, and whether it is still the same file."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import BinaryIO

import orjson

from clew.ports import Store

_SPACE = "cursor"
_COMPARED_BYTES = 4096


@dataclass(frozen=True, slots=True)
class FileCursor:
    """A position in a file.
    ``head`` and ``tail`` are hashes of its beginning and of what stands just before the position.
    """

    format: str
    session: str
    offset: int
    line: int
    head: str
    tail: str = ""

    def matches(self, head: bytes, stream: BinaryIO) -> bool:
        """Returns True while the file still holds, before the position, what it held when it was read."""
        size = stream.seek(0, 2)
        is_same = self.head == hash_head(head, self.offset) and size >= self.offset
        return is_same and self.tail == hash_before(stream, self.offset)


class FileCursors:
    """The cursors of one user's files, by absolute path."""

    def __init__(self, store: Store, *, tenant: str, user: str) -> None:
        self._store, self._owner = store, (tenant, user)

    def get(self, name: str) -> FileCursor | None:
        """Returns the cursor of a file; None where there is none."""
        raw = self._store.values(*self._owner, _SPACE, [name]).get(name)
        try:
            return FileCursor(**orjson.loads(raw)) if raw else None
        except (ValueError, TypeError):  # damaged: the file is read from the beginning
            return None

    def files_of(self, session: str) -> list[str]:
        """Returns the files that a session was read from, in order of name."""
        cursors = self._store.values(*self._owner, _SPACE)
        return sorted(name for name, raw in cursors.items() if _session(raw) == session)

    def put(self, name: str, cursor: FileCursor) -> None:
        """Stores the cursor of a file."""
        self._store.put_values(*self._owner, _SPACE, {name: orjson.dumps(cursor)})

    def forget_session(self, id: str) -> None:
        """Deletes the cursors of a session's files, so that they are read from the beginning again."""
        self._store.put_values(*self._owner, _SPACE, dict.fromkeys(self.files_of(id)))


def _session(raw: bytes) -> str:
    try:
        return str(orjson.loads(raw).get("session", ""))
    except (ValueError, AttributeError):
        return ""


def hash_head(head: bytes, offset: int) -> str:
    """Hashes the beginning of a file, at most up to the offset."""
    return _hash(head[: min(offset, _COMPARED_BYTES)])


def hash_before(stream: BinaryIO, offset: int) -> str:
    """Hashes what stands just before an offset: a file that was cut and has grown again differs there."""
    stream.seek(max(0, offset - _COMPARED_BYTES))
    return _hash(stream.read(min(offset, _COMPARED_BYTES)))


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()
