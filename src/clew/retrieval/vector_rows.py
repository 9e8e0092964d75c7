"""Vectors as a store keeps them: a row for each number under the embedder's name, and how far each embedder got."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from clew.domain import SessionKey
from clew.ports import VECTORS, Store

#: The row that says up to which number each embedder has made vectors.
_REACH = "reach"


class VectorRows:
    """The vectors of one session or collection."""

    def __init__(self, store: Store, key: SessionKey) -> None:
        self._store, self._key = store, key

    def reach(self) -> dict[str, int]:
        """Returns up to which number vectors were made, by embedder."""
        raw = self._store.row(self._key, VECTORS, _REACH)
        return orjson.loads(raw) if raw else {}

    def read(self, embedder: str, first: int = 0) -> dict[int, bytes]:
        """Returns rows from a number on."""
        rows = self._store.rows(self._key, VECTORS, start=_name(embedder, first), stop=f"{embedder}/~")
        return {int(name.rpartition("/")[2]): row for name, row in rows}

    def write(self, embedder: str, rows: Mapping[int, bytes], *, reach: int) -> None:
        """Writes rows, and that vectors are made up to ``reach``. Does nothing where a session was purged meanwhile."""
        with self._store.transaction():
            if not self._key.id.startswith("#") and self._store.session(self._key) is None:
                return
            named = {_name(embedder, number): row for number, row in rows.items()}
            reached = orjson.dumps(self.reach() | {embedder: reach})
            self._store.put_rows(self._key, VECTORS, named | {_REACH: reached})

    def drop_others(self, embedder: str) -> None:
        """Removes the vectors of all other embedders."""
        others = self.reach().keys() - {embedder}
        if not others:
            return
        with self._store.transaction():
            gone = [_name(other, number) for other in others for number in self.read(other)]
            left = orjson.dumps({embedder: self.reach().get(embedder, 0)})
            self._store.put_rows(self._key, VECTORS, dict.fromkeys(gone) | {_REACH: left})


def _name(embedder: str, number: int) -> str:
    return f"{embedder}/{number:09d}"
