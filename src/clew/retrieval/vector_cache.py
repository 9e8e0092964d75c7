"""Vectors that a process has read, by session and embedder, so that a search reads only what is new."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from clew.domain import SessionKey
from clew.retrieval.vectors import VectorSet

#: Sessions whose vectors are kept; the least recently used are read again when they are searched.
_MOST_KEPT = 128


class VectorCache:
    """Sets of vectors, each with the edition of the rows that it was read from. One set is worked on by one thread at a
    time.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self._sets: OrderedDict[tuple[SessionKey, str], tuple[int, VectorSet]] = OrderedDict()

    def vector_set(self, key: SessionKey, embedder: str, *, size: int, edition: int = 0) -> VectorSet:
        """Returns the set of a session or collection; an empty one where none was read of this edition."""
        place = key, embedder
        known = self._sets.get(place)
        found = known[1] if known and known[0] == edition else VectorSet(size)
        self._sets[place] = edition, found
        self._sets.move_to_end(place)
        while len(self._sets) > _MOST_KEPT:
            self._sets.popitem(last=False)
        return found

    def forget(self, key: SessionKey | None = None) -> None:
        """Drops what was read of a session, or of all."""
        with self.lock:
            for place in [one for one in self._sets if key in (None, one[0])]:
                del self._sets[place]
