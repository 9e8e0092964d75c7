"""Marks: small facts by which a session recognises what it has already been told.

Names are keyed hashes of what was told, never the words themselves, so that a store which masks secrets
at rest still recognises the original without holding anything that a guess could be checked against
outside this store.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

from clew.domain import SessionKey
from clew.ports import Store

_COUNT_SHIFT = 40  # a value holds a count above and a message number below


class Marks:
    """A session's marks during one append: fetched in one go, changed in memory, written back at the end."""

    def __init__(self, store: Store, key: SessionKey, secret: bytes) -> None:
        self._store, self._key, self._secret = store, key, secret
        self._known: dict[bytes, int] = {}
        self._changed: dict[bytes, int] = {}

    def name(self, kind: bytes, *pieces: bytes) -> bytes:
        return kind + blake2b(b"\x00".join(pieces), digest_size=15, key=self._secret).digest()

    def fetch(self, names: Iterable[bytes]) -> None:
        self._known.update(self._store.marks(self._key, {name for name in names if name not in self._known}))

    def get(self, name: bytes) -> int:
        return self._known.get(name, 0)

    def set(self, name: bytes, value: int) -> None:
        self._known[name] = self._changed[name] = value

    def flush(self) -> None:
        if self._changed:
            self._store.put_marks(self._key, self._changed)
            self._changed = {}


def packed(count: int, number: int) -> int:
    return count << _COUNT_SHIFT | number


def count_of(value: int) -> int:
    return value >> _COUNT_SHIFT


def number_of(value: int) -> int:
    return value & ((1 << _COUNT_SHIFT) - 1)
