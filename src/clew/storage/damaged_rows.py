"""Reads the rows of a damaged database one by one, passing over the pages that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Any

import apsw

Row = dict[str, Any]

BY_ROWID = ("sessions", "entries", "blobs", "projected", "small_values")
#: Tables without rowids, and the order of their rows.
BY_KEY = {"marks": ("tenant", "user", "session", "name"), "blob_uses": ("tenant", "user", "session", "digest")}
#: Beyond any rowid that a store reaches by counting up.
_LAST_ROWID = 1 << 48


def rows_by_rowid(db: apsw.Connection, table: str, losses: list[str]) -> Iterator[Row]:
    """All rows that can be read, in order of their rowid; what stood in the way of others is added to ``losses``."""
    at: int | None = 0
    while at is not None:
        try:
            for row in _rows_from(db, table, at):
                at = max(at, row.pop("at_rowid") + 1)  # a damaged page may count backwards
                yield row
            return
        except apsw.Error as error:
            losses.append(str(error))
            at = _next_readable(db, table, at)


def rows_by_key(db: apsw.Connection, table: str, keys: Sequence[tuple[str, str, str]]) -> Iterator[Row]:
    """In one go, or else from both ends of each session's share: some rows may come twice."""
    try:
        yield from _scan(db, f"SELECT * FROM {table}", ())
    except apsw.Error:
        for key, direction in product(keys, ("ASC", "DESC")):
            order = ", ".join(f"{column} {direction}" for column in BY_KEY[table])
            with suppress(apsw.Error):
                yield from _scan(
                    db, f"SELECT * FROM {table} WHERE tenant = ? AND user = ? AND session = ? ORDER BY {order}", key
                )


def _rows_from(db: apsw.Connection, table: str, at: int, limit: int = -1) -> Iterator[Row]:
    # NOT INDEXED: an index may be damaged where its table is not.
    query = f"SELECT rowid AS at_rowid, * FROM {table} NOT INDEXED WHERE rowid >= ? ORDER BY rowid LIMIT ?"
    return _scan(db, query, (at, limit))


def _scan(db: apsw.Connection, query: str, values: Sequence[Any]) -> Iterator[Row]:
    cursor = db.execute(query, values)
    names: list[str] = []
    for row in cursor:
        names = names or [name for name, *_ in cursor.get_description()]
        yield dict(zip(names, row, strict=True))


def _next_readable(db: apsw.Connection, table: str, at: int) -> int | None:
    """The first rowid after ``at`` from which reading goes on, found by leaps that double and then halve."""
    bad, leap = at, 1
    while not _reads(db, table, at + leap):
        bad, leap = at + leap, leap * 2
        if bad > _LAST_ROWID:
            return None
    good = at + leap
    while good - bad > 1:
        middle = (bad + good) // 2
        if _reads(db, table, middle):
            good = middle
        else:
            bad = middle
    return good


def _reads(db: apsw.Connection, table: str, at: int) -> bool:
    try:
        list(_rows_from(db, table, at, limit=1))
    except apsw.Error:
        return False
    return True


__all__ = ["BY_KEY", "BY_ROWID", "Row", "rows_by_key", "rows_by_rowid"]
