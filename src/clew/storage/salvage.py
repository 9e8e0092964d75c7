"""Saving what can still be read of a damaged store.

The damaged file is set aside and never changed or deleted; a new one with all that could be read takes its
place. What is missing there stays visible as a gap: sessions keep their counters, and uses of lost blobs are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw

from clew.domain import SessionInfo, SessionKey
from clew.errors import NotFound, StoreBusy
from clew.history.body_blobs import blob_references
from clew.ports import MARK, SALVAGED, WORDS
from clew.storage.compression import PLAIN, decompress
from clew.storage.connections import open_file
from clew.storage.damaged_rows import BY_KEY, BY_ROWID, Row, rows_by_key, rows_by_rowid
from clew.storage.failures import Failures
from clew.storage.file_copies import damaged_name, set_aside
from clew.storage.row_values import info_bytes, info_of, name_text
from clew.storage.schema import OF_SESSION
from clew.storage.stores import BUSY_TIMEOUT_SECONDS

_OF_BLOBS = "SELECT tenant, user, digest FROM"
_COUNTS = ("sessions_saved", "sessions_lost", "entries_saved", "entries_lost", "blobs_saved", "blobs_lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Salvage:
    """What was saved and what was lost, as far as that can be known, and where the damaged file is now.

    Entries count as lost by what their sessions say they had, blobs by what sessions say they used.
    """

    damaged: Path
    sessions_saved: int
    sessions_lost: int
    entries_saved: int
    entries_lost: int
    blobs_saved: int
    blobs_lost: int


def salvage(path: Path) -> Salvage:
    """Puts a sound store in the place of a damaged one. No other process may have it open: StoreBusy if one has."""
    if not path.is_file():
        raise NotFound(f"there is no store at {path}", hint="name another", about="store")
    old, new = path.with_name(path.name + "-salvage-old"), path.with_name(path.name + "-salvage-new")
    with Failures(path):
        _remove(old)
        _remove(new)
        try:
            _ensure_unused(path)
            _copy(path, old)
            counts = _rebuild(old, new)
            damaged = damaged_name(path)
            set_aside(path, damaged)
            set_aside(new, path)
        finally:
            _remove(old)
            _remove(new)
    return Salvage(damaged=damaged, **counts)


def _remove(path: Path) -> None:
    for part in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + part).unlink(missing_ok=True)


def _ensure_unused(path: Path) -> None:
    """Asks for a lock that only one connection can have; a file too damaged to be locked is nobody's."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        db.pragma("locking_mode", "EXCLUSIVE")
        db.execute("BEGIN IMMEDIATE; ROLLBACK")
    except apsw.BusyError as error:
        raise StoreBusy(f"{path} is open in another process; close it there, then repair") from error
    except apsw.Error:
        return
    finally:
        db.close()


def _copy(path: Path, target: Path) -> None:
    """The database and its log, byte by byte: what is damaged stays as it was found."""
    for part in ("", "-wal"):
        source, copy = path.with_name(path.name + part), target.with_name(target.name + part)
        if source.exists():
            os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            shutil.copyfile(source, copy)


def _rebuild(old: Path, new: Path) -> dict[str, int]:
    target = open_file(new, durability="normal", busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
    try:
        target.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        source = _readable(old, new)
        target.execute("BEGIN IMMEDIATE")
        _transfer(source, target)
        source.close()
        counts = _reconcile(target)
        target.execute("COMMIT")
        target.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        target.close()
    return counts


def _readable(old: Path, new: Path) -> apsw.Connection:
    """A connection that finds the tables, with the first page of a fresh store where the old one is broken.

    That page says where each table begins, and stores of one schema agree on it.
    """
    db = apsw.Connection(str(old), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        db.execute("SELECT count(*) FROM sqlite_schema JOIN migrations").fetchall()
    except apsw.Error:
        db.close()
        _mend_first_page(old, new)
        db = apsw.Connection(str(old), flags=apsw.SQLITE_OPEN_READWRITE)
    return db


def _mend_first_page(old: Path, new: Path) -> None:
    with new.open("rb") as fresh, old.open("r+b") as file:
        head = bytearray(fresh.read(100))
        page = head + fresh.read(int.from_bytes(head[16:18], "big") - 100)
        # Not the count that belongs to the page's number of pages: SQLite then goes by the size of the file.
        page[92:96] = bytes(4)
        file.write(page)


def _transfer(source: apsw.Connection, target: apsw.Connection) -> None:
    for table in BY_ROWID:
        losses: list[str] = []
        _put(target, table, _sound(rows_by_rowid(source, table, losses), losses))
        if table == "projected" and losses:  # some rows of a projection are worse than none
            target.execute("DELETE FROM projected")
    keys = _keys(target, "sessions", "entries")
    for table in BY_KEY:
        _put(target, table, rows_by_key(source, table, keys))


def _keys(target: apsw.Connection, *tables: str) -> list[SessionKey]:
    query = " UNION ".join(f"SELECT tenant, user, session FROM {table}" for table in tables)
    found: list[Any] = target.execute(query).fetchall()
    return [SessionKey(*key) for key in found]


def _put(target: apsw.Connection, table: str, rows: Iterable[Row]) -> None:
    """Rows that break the rules of their table are garbage, or have come already."""
    for row in rows:
        columns, places = ", ".join(row), ", ".join("?" * len(row))
        with suppress(apsw.ConstraintError):
            target.execute(f"INSERT OR IGNORE INTO {table}({columns}) VALUES({places})", tuple(row.values()))


def _sound(rows: Iterable[Row], losses: list[str]) -> Iterator[Row]:
    """Rows whose bodies can be read. The index of words is not saved but made anew, so the rows that say how far it
    goes are left behind.
    """
    for row in rows:
        if row.get("projection") in (WORDS, MARK):
            continue
        if _is_sound(row):
            yield row
        else:
            losses.append("a body")


def _is_sound(row: Row) -> bool:
    try:
        if "kept" in row:
            body = decompress(row["kept"], row["body"])
            return "digest" not in row or hashlib.sha256(body).hexdigest() == row["digest"]
        if "info" in row:
            info_of(SessionKey("", "", ""), row["info"])
    except (ValueError, TypeError, AttributeError):
        return False
    return True


def _reconcile(target: apsw.Connection) -> dict[str, int]:
    """Makes the tables agree again, and counts: sessions number on from what they had, blobs are used by somebody."""
    counts: Counter[str] = Counter()
    for key in _keys(target, "sessions", "entries", "marks", "blob_uses", "projected"):
        counts.update(_reconciled_session(target, key))
    _use_references(target)
    counts["blobs_lost"] = target.execute(f"SELECT count(*) FROM ({_OF_BLOBS} blob_uses EXCEPT {_OF_BLOBS} blobs)").get
    # Who used these is no longer known: any session of their user may have.
    target.execute(
        "INSERT INTO blob_uses SELECT tenant, user, session, digest FROM blobs JOIN sessions USING (tenant, user) "
        f"WHERE (tenant, user, digest) NOT IN ({_OF_BLOBS} blob_uses)"
    )
    counts["blobs_saved"] = target.execute("SELECT count(*) FROM blobs").get
    return {name: counts[name] for name in _COUNTS}


def _use_references(target: apsw.Connection) -> None:
    """Uses that are lost are found again in the bodies that refer to blobs."""
    for tenant, user, session, kept, body in target.execute("SELECT tenant, user, session, kept, body FROM entries"):
        for digest in _references(decompress(kept, body)):
            target.execute("INSERT OR IGNORE INTO blob_uses VALUES(?, ?, ?, ?)", (tenant, user, session, digest))


def _references(body: bytes) -> Collection[str]:
    try:
        return blob_references(body)
    except ValueError:
        return ()


def _taken_cursor(target: apsw.Connection, key: SessionKey) -> str:
    """The file that a session was read from, where the session's row is lost but not how far the file was read. That is
    forgotten: what came last may be lost with the row, so that the file has to be read from the beginning.
    """
    cursors: list[Any] = target.execute(
        "SELECT rowid, name, body FROM small_values WHERE tenant = ? AND user = ? AND space = 'cursor'", key[:2]
    ).fetchall()
    files = [(rowid, name_text(name)) for rowid, name, body in cursors if _session_in(body) == key.id]
    target.executemany("DELETE FROM small_values WHERE rowid = ?", [(rowid,) for rowid, _ in files])
    return files[-1][1] if files else ""


def _session_in(cursor: bytes) -> str:
    try:
        return str(json.loads(cursor)["session"])
    except (ValueError, KeyError, TypeError):
        return ""


def _reconciled_session(target: apsw.Connection, key: SessionKey) -> dict[str, int]:
    found: list[Any] = target.execute(f"SELECT info FROM sessions WHERE {OF_SESSION}", key).fetchall()
    info = info_of(key, found[0][0]) if found else SessionInfo(key=key, source=_taken_cursor(target, key))
    count, last, message = target.execute(
        f"SELECT count(*), coalesce(max(seq), 0), coalesce(max(message), 0) FROM entries WHERE {OF_SESSION}", key
    ).get
    if not found and not count:
        for table in ("marks", "blob_uses", "projected"):
            target.execute(f"DELETE FROM {table} WHERE {OF_SESSION}", key)
        return {"sessions_lost": 1}
    if not found:  # how far it went is forgotten, so what was known beyond must not count as known
        target.execute(f"DELETE FROM marks WHERE {OF_SESSION}", key)
    info = replace(info, entries=max(info.entries, last), messages=max(info.messages, message))
    target.execute("INSERT OR REPLACE INTO sessions VALUES(?, ?, ?, ?, ?)", (*key, info.updated, info_bytes(info)))
    target.execute("INSERT INTO projected VALUES(?, ?, ?, ?, ?, ?, ?)", (*key, MARK, b"", PLAIN, SALVAGED))
    return {"sessions_saved": 1, "entries_saved": count, "entries_lost": info.entries - count}


__all__ = ["Salvage", "salvage"]
