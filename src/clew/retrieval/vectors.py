"""Vectors of texts: how they are kept as bytes, and how the nearest are found.

A text is embedded in passages; it is as near as its nearest passage. numpy compares with all of them, and from
``EXACT`` vectors on usearch with the likeliest.

Vectors that a process has read, by session and embedder, so that a search reads only what is new.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import count
from threading import Lock
from typing import Any

from clew.domain import SessionKey
from clew.retrieval.fusion import Nearness

#: Sessions whose vectors are kept; the least recently used are read again when they are searched.
_MOST_KEPT = 128
#: Most vectors that a query is compared with one by one.
EXACT = 100_000
#: Characters of a passage, and most passages of one text: what is longer is found by its beginning, and by its words.
_PASSAGE_CHARS, _MAX_PASSAGES = 500, 8
_NEAREST = 200
#: Less than any two vectors of length 1 come to that are ever compared.
_NO_VECTOR = -0.99
DIGEST_BYTES = 8
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


def passages_of(text: str) -> list[str]:
    """A text in passages of whole sentences; none of a text that says nothing."""
    found: list[str] = []
    for sentence in _SENTENCE_END.split(text[: 2 * _PASSAGE_CHARS * _MAX_PASSAGES]):
        if found and len(found[-1]) + len(sentence) < _PASSAGE_CHARS:
            found[-1] = f"{found[-1]} {sentence}".strip()
        elif sentence.strip():
            found.append(sentence.strip()[: 2 * _PASSAGE_CHARS])
    return found[:_MAX_PASSAGES]


def content_digest(text: str) -> bytes:
    """What a text is known by."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=DIGEST_BYTES).digest()


def to_row(digest: bytes, vectors: Sequence[Sequence[float]]) -> bytes:
    """The digest of a text and the vectors of its passages."""
    import numpy as np

    return digest + np.asarray(vectors, dtype=np.float16).tobytes()


#: Numbers that no two states of any sets share.
_STAMPS = count(1)


class VectorSet:
    """The vectors of many texts by number. It only grows: what is put in again takes the place of what was there.

    ``made`` is the number up to which all vectors had been made when they were last put in.
    """

    def __init__(self, size: int) -> None:
        """``size`` is how many numbers a vector has."""
        self._size, self.made, self.stamp = size, 0, 0
        self._rows: dict[int, Any] = {}
        self._kept: dict[int, bytes] = {}
        self._newest = 0
        #: All vectors in order of their numbers, and the number of each; both are the beginning of what has room.
        self._matrix: Any = None
        self._numbers: Any = None
        self._room: tuple[Any, Any] = ((), ())
        self._index: Any = None

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, rows: Mapping[int, bytes]) -> None:
        """Takes rows in; those of vectors of another size are passed over."""
        import numpy as np

        new = {number: row for number, row in rows.items() if self._kept.get(number) != row[:DIGEST_BYTES]}
        for number, row in sorted(new.items()):
            self._kept[number] = row[:DIGEST_BYTES]
            vectors = np.frombuffer(row[DIGEST_BYTES:], dtype=np.float16)
            if len(vectors) % self._size:
                continue
            self._rows[number] = vectors.reshape(-1, self._size).astype(np.float32)
            self._add_to_matrix(number, self._rows[number])
            self.stamp = next(_STAMPS)

    def _add_to_matrix(self, number: int, vectors: Any) -> None:
        """The newest vectors go behind all others; with any others, the matrix is built anew when it is needed."""
        import numpy as np

        if self._matrix is None or self._index is not None or number < self._newest:
            self._matrix = self._index = None
        else:
            start = int(np.searchsorted(self._numbers, number))
            end = start + len(vectors)
            if end > len(self._room[1]):
                self._room = _with_room(self._matrix, 2 * end), _with_room(self._numbers, 2 * end)
            matrix, numbers = self._room
            matrix[start:end], numbers[start:end] = vectors, number
            self._matrix, self._numbers = matrix[:end], numbers[:end]
        self._newest = max(self._newest, number)

    def nearness(self, vector: Sequence[float]) -> Nearness | None:
        """How near each text is to a vector of length 1; None where there is nothing to compare with."""
        import numpy as np

        self._build()
        if not len(self._numbers):
            return None
        query = np.asarray(vector, dtype=np.float32)
        numbers, near = self._likeliest(query)
        best = np.full(int(self._numbers[-1]) + 1, -1.0, dtype=np.float32)
        order = np.argsort(numbers, kind="stable") if self._index is not None else slice(None)
        numbers, near = numbers[order], near[order]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1))
        best[numbers[starts]] = np.maximum.reduceat(near, starts)
        most = max(float(best.max()), 1e-6)
        most_near = min(_NEAREST, len(best))
        nearest = np.argpartition(-best, most_near - 1)[:most_near]
        middling = float(np.clip(near, 0, None).mean()) / most
        shares = np.where(best <= _NO_VECTOR, middling, np.clip(best, 0, None) / most)
        return Nearness(
            [int(one) for one in nearest if best[one] > 0],
            lambda number: float(shares[number]) if number < len(shares) else middling,
            lambda number: float(best[number]) if number < len(best) and best[number] > _NO_VECTOR else None,
        )

    def _likeliest(self, query: Any) -> tuple[Any, Any]:
        """Numbers and nearness of all passages, or of the likeliest where they are many."""
        if self._index is None:
            return self._numbers, self._matrix @ query
        match = self._index.search(query, 4 * _NEAREST)
        return self._numbers[match.keys], 1 - match.distances

    def _build(self) -> None:
        import numpy as np

        if self._matrix is not None:
            return
        held = [(number, rows) for number, rows in sorted(self._rows.items(), key=lambda pair: pair[0]) if len(rows)]
        self._numbers = np.array([number for number, rows in held for _ in rows], dtype=np.int64)
        self._matrix = np.concatenate([rows for _, rows in held]) if held else np.zeros((0, self._size), np.float32)
        self._room = self._matrix, self._numbers
        if len(self._matrix) > EXACT:
            self._index = _approximate(self._matrix)


def _with_room(held: Any, size: int) -> Any:
    """The same rows, with room for more behind them."""
    import numpy as np

    room = np.zeros((size, *held.shape[1:]), dtype=held.dtype)
    room[: len(held)] = held
    return room


def _approximate(matrix: Any) -> Any:
    """An index of usearch; None where that is not installed, and all are compared."""
    try:
        from usearch.index import Index
    except ImportError:
        return None
    import numpy as np

    index = Index(ndim=matrix.shape[1], metric="ip", dtype="f16")
    index.add(np.arange(len(matrix)), matrix)
    return index


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
            for place in [vectors for vectors in self._sets if key in (None, vectors[0])]:
                del self._sets[place]
