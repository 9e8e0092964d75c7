"""Marks: small facts by which a session recognises what it has already been told.

Names are keyed hashes of what was told, never the words themselves, so that a store which masks secrets
at rest still recognises the original without holding anything that a guess could be checked against
outside this store.
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


@dataclass(frozen=True, slots=True)
class Told:
    """What a mark says of a part: how often it was told, who told it first, and where it stands last."""

    count: int = 0
    channel: int = 0
    number: int = 0

    def packed(self) -> int:
        return min(self.count, _MAX_COUNT) << _COUNT_SHIFT | self.channel << _CHANNEL_SHIFT | self.number


def told(value: int) -> Told:
    return Told(value >> _COUNT_SHIFT, value >> _CHANNEL_SHIFT & _MAX_CHANNEL, value & _MAX_NUMBER)


def channel_code(name: str) -> int:
    """A channel's name as a small number; 0 is nobody."""
    return 1 + int.from_bytes(blake2b(name.encode(), digest_size=4).digest(), "big") % _MAX_CHANNEL
