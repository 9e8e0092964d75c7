"""Vectors as a store keeps them: a row for each number under the embedder's name, a number for each digest of what rows
are made of, and how far each embedder got.

The row ``edition`` counts how often rows were taken away, so that whoever has read them knows to read anew; ``scale``
has what nearness means to an embedder: texts of which none has to do with another are at .05 to one, at .7 to another.
It is measured with sentences of which each is about something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import orjson

from clew.domain import SessionKey
from clew.ports import VECTORS, Embedder, Store
from clew.retrieval.vectors import DIGEST_BYTES

_SENTENCES = (
    "The harbour falls dry at low tide.",
    "She bought a violin from her uncle.",
    "The compiler reports an unused variable.",
    "Bread dough needs two hours to rise.",
    "The committee postponed its vote until March.",
    "A new vaccine was tested on volunteers.",
    "His train to Vienna was late again.",
    "Interest rates rose by half a percent.",
    "The goalkeeper saved a penalty.",
    "Volcanic ash covered the village.",
    "How do I reset my password?",
    "The contract ends with the month.",
)
#: How far chance reaches, and where what is surely none begins: standard deviations above the mean of such sentences.
_CHANCE, _SURE = 2.0, 4.5
#: The row that says up to which number each embedder has made vectors.
_REACH = "reach"
_EDITION, _SCALE = "edition", "scale"

#: Rows by embedder and by the digest of the text that they are made of.
RowsByContent = Mapping[str, Mapping[bytes, bytes]]


class VectorRows:
    """The vectors of one session or collection."""

    def __init__(self, store: Store, key: SessionKey) -> None:
        self._store, self._key = store, key

    def transaction(self) -> AbstractContextManager[None]:
        """All that happens inside is one unit; nests."""
        return self._store.transaction()

    def reach(self) -> dict[str, int]:
        """Returns up to which number vectors were made, by embedder."""
        found: dict[str, int] = self._value(_REACH) or {}
        return found

    def edition(self) -> int:
        """Returns how often rows were taken away."""
        return int(self._value(_EDITION) or 0)

    def scale(self, embedder: str) -> NearnessScale | None:
        """Returns what nearness means to an embedder; None where that was not measured."""
        found = (self._value(_SCALE) or {}).get(embedder)
        return NearnessScale(*found) if found else None

    def read(self, embedder: str, first: int = 0) -> dict[int, bytes]:
        """Returns rows from a number on."""
        rows = self._store.rows(self._key, VECTORS, start=_name(embedder, first), stop=f"{embedder}/~")
        return {int(name.rpartition("/")[2]): row for name, row in rows}

    def write(self, embedder: str, rows: Mapping[int, bytes], *, reach: int) -> None:
        """Writes rows, and that vectors are made up to ``reach``. Does nothing where a session was purged meanwhile."""
        with self._store.transaction():
            if not self._key.id.startswith("#") and self._store.session(self._key) is None:
                return
            reached = orjson.dumps(self.reach() | {embedder: reach})
            self._store.put_rows(self._key, VECTORS, _rows_to_write(embedder, rows) | {_REACH: reached})

    def known_rows(self, embedder: str, digests: Collection[bytes]) -> dict[bytes, bytes]:
        """Returns rows by the digests of the texts that they are made of, as far as there are any."""
        found: dict[bytes, bytes] = {}
        for digest in digests:
            number = self._value(_content(embedder, digest))
            row = self._store.row(self._key, VECTORS, _name(embedder, number)) if number else None
            if row and row.startswith(digest):
                found[digest] = row
        return found

    def write_scale(self, embedder: str, scale: NearnessScale) -> None:
        """Writes what nearness means to an embedder."""
        with self._store.transaction():
            scales = (self._value(_SCALE) or {}) | {embedder: (scale.unrelated, scale.related)}
            self._store.put_rows(self._key, VECTORS, {_SCALE: orjson.dumps(scales)})

    def take(self, numbers: Collection[int] | None = None) -> RowsByContent:
        """Removes the vectors of these numbers, or all, of every embedder. Returns them by what they are vectors of."""
        with self._store.transaction():
            taken = {embedder: self._rows_at(embedder, numbers) for embedder in self.reach()}
            gone = dict.fromkeys(name for embedder, rows in taken.items() for name in self._names(embedder, rows))
            if gone:
                self._store.put_rows(self._key, VECTORS, gone | {_EDITION: orjson.dumps(self.edition() + 1)})
        return {name: {row[:DIGEST_BYTES]: row for row in rows.values()} for name, rows in taken.items()}

    def _names(self, embedder: str, rows: Mapping[int, bytes]) -> Iterator[str]:
        """The rows that go with these numbers: what another number has the same of is found by that one."""
        yield from (_name(embedder, number) for number in rows)
        by_content = {_content(embedder, row[:DIGEST_BYTES]) for row in rows.values()}
        yield from (name for name in by_content if self._value(name) in rows)

    def _rows_at(self, embedder: str, numbers: Collection[int] | None) -> dict[int, bytes]:
        if numbers is None:
            return self.read(embedder)
        found = {number: self._store.row(self._key, VECTORS, _name(embedder, number)) for number in numbers}
        return {number: row for number, row in found.items() if row is not None}

    def put_back(self, kept: RowsByContent, digests: Mapping[int, bytes]) -> None:
        """Gives numbers, by the digests of their texts, the rows that were taken from others of the same content."""
        for embedder, by_content in kept.items():
            rows = {number: by_content[digest] for number, digest in digests.items() if digest in by_content}
            self._store.put_rows(self._key, VECTORS, _rows_to_write(embedder, rows))

    def drop_others(self, embedder: str) -> None:
        """Removes the vectors of all other embedders."""
        others = self.reach().keys() - {embedder}
        if not others:
            return
        with self._store.transaction():
            gone = [name for other in others for name in _rows_to_write(other, self.read(other))]
            scales = self._value(_SCALE) or {}
            left = {_REACH: {embedder: self.reach().get(embedder, 0)}, _SCALE: {embedder: scales.get(embedder)}}
            encoded = {name: orjson.dumps(value) for name, value in left.items() if name == _REACH or scales}
            self._store.put_rows(self._key, VECTORS, dict.fromkeys(gone) | encoded)

    def _value(self, name: str) -> Any:
        raw = self._store.row(self._key, VECTORS, name)
        return orjson.loads(raw) if raw else None


def _rows_to_write(embedder: str, rows: Mapping[int, bytes]) -> dict[str, bytes | None]:
    """Rows by number, and beside each its number by what it is made of."""
    by_number: dict[str, bytes | None] = {_name(embedder, number): row for number, row in rows.items()}
    return by_number | {_content(embedder, row[:DIGEST_BYTES]): orjson.dumps(number) for number, row in rows.items()}


def _name(embedder: str, number: int) -> str:
    return f"{embedder}/{number:09d}"


def _content(embedder: str, digest: bytes) -> str:
    return f"{embedder}#{digest.hex()}"


@dataclass(frozen=True, slots=True)
class NearnessScale:
    """Texts below ``unrelated`` have nothing to do with each other; those from ``related`` on are about the same."""

    unrelated: float
    related: float

    def rescale(self, nearness: float) -> float:
        """Returns a nearness on this scale: up to 0 for what is unrelated, from 1 on for what is about the same."""
        return (nearness - self.unrelated) / max(self.related - self.unrelated, 1e-6)


def measure_scale(embedder: Embedder) -> NearnessScale:
    """Returns the scale of an embedder. Raises a ModelError if it fails."""
    from statistics import mean, pstdev

    vectors = embedder.embed(_SENTENCES)
    found = [_product(one, other) for one, other in combinations(vectors, 2)]
    middle, spread = mean(found), pstdev(found)
    return NearnessScale(round(middle + _CHANCE * spread, 4), round(middle + _SURE * spread, 4))


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))
