"""What a SQLite store has lost of a session: rows that its counters and references speak of and that are not there."""

from __future__ import annotations

import apsw

from clew.domain import SessionInfo
from clew.ports import Gaps
from clew.storage.schema import OF_SESSION


def find_gaps(db: apsw.Connection, info: SessionInfo) -> Gaps:
    """Everything that is missing; only counts are read while nothing is."""
    blobs: list[tuple[str]] = db.execute(
        "SELECT digest FROM blob_uses LEFT JOIN blobs USING (tenant, user, digest) "
        f"WHERE {OF_SESSION} AND blobs.rowid IS NULL ORDER BY digest",
        info.key,
    ).fetchall()  # type: ignore[assignment]
    return Gaps(
        _missing(db, info, "seq", last=info.entries),
        _missing(db, info, "message", last=info.messages),
        tuple(digest for (digest,) in blobs),
    )


def _missing(db: apsw.Connection, info: SessionInfo, column: str, *, last: int) -> tuple[int, ...]:
    """Numbers from 1 to the last that no entry has. The index by message answers for both columns."""
    distinct = "*" if column == "seq" else f"DISTINCT {column}"
    rows = f"FROM entries INDEXED BY entries_of_messages WHERE {OF_SESSION} AND {column} BETWEEN 1 AND ?"
    counted = db.execute(f"SELECT count({distinct}) {rows}", (*info.key, last)).get
    if counted == last:
        return ()
    there = {number for (number,) in db.execute(f"SELECT DISTINCT {column} {rows}", (*info.key, last))}
    return tuple(number for number in range(1, last + 1) if number not in there)


__all__ = ["find_gaps"]
