"""Marks: named numbers by which a session recognises what was recorded before.

Their names are keyed hashes of the content, never the words: a store that masks secrets still recognises the original,
and holds nothing that a guess could be checked against outside this store.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from clew.domain import SessionKey
from clew.ports import Store

# A value has 63 bits: 16 for a count, 15 for a channel, 32 for a message number.
_CHANNEL_SHIFT, _COUNT_SHIFT = 32, 47
_MAX_NUMBER, _MAX_CHANNEL, _MAX_COUNT = (1 << 32) - 1, (1 << 15) - 1, (1 << 16) - 1


class Marks:
    """A session's marks during one append. They are fetched at once, changed in memory and written by ``flush``."""

    def __init__(self, store: Store, key: SessionKey, secret: bytes) -> None:
        self._store, self._key, self._secret = store, key, secret
        self._known: dict[bytes, int] = {}
        self._changed: dict[bytes, int] = {}

    def name(self, kind: bytes, *pieces: bytes) -> bytes:
        """Returns the name of a mark: its kind and a keyed hash of the content."""
        return kind + blake2b(b"\x00".join(pieces), digest_size=15, key=self._secret).digest()

    def fetch(self, names: Iterable[bytes]) -> None:
        """Reads marks from the store; those that are known already are not read again."""
        self._known.update(self._store.marks(self._key, {name for name in names if name not in self._known}))

    def get(self, name: bytes) -> int:
        """Returns the value of a fetched mark; 0 where there is none."""
        return self._known.get(name, 0)

    def set(self, name: bytes, value: int) -> None:
        """Sets a mark in memory."""
        self._known[name] = self._changed[name] = value

    def flush(self) -> None:
        """Writes changed marks to the store."""
        if self._changed:
            self._store.put_marks(self._key, self._changed)
            self._changed = {}


class FreshMarks(Marks):
    """Marks made anew from the ledger: those in the store may be lost or stale, so they are not read."""

    def fetch(self, names: Iterable[bytes]) -> None:
        """Reads nothing."""


@dataclass(frozen=True, slots=True)
class PartMark:
    """The mark of a part: how often it was reported, by which channel first, and in which message last."""

    count: int = 0
    channel: int = 0
    number: int = 0

    def to_number(self) -> int:
        """Packs the mark into the number that is stored."""
        return min(self.count, _MAX_COUNT) << _COUNT_SHIFT | self.channel << _CHANNEL_SHIFT | self.number


def part_mark(value: int) -> PartMark:
    """Unpacks a mark from a stored number."""
    return PartMark(value >> _COUNT_SHIFT, value >> _CHANNEL_SHIFT & _MAX_CHANNEL, value & _MAX_NUMBER)


def channel_code(name: str) -> int:
    """Returns a channel's name as a small number; 0 stands for no channel."""
    return 1 + int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % _MAX_CHANNEL
