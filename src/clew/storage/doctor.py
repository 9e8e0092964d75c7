"""Looking after a store's file: is it sound?"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import apsw

from clew.errors import ClewError, NotFound
from clew.storage import BUSY_TIMEOUT_SECONDS
from clew.storage.compression import decompress
from clew.storage.connections import connect
from clew.storage.failures import clew_error
from clew.storage.schema import MIGRATIONS

#: A log this large means that something keeps it from being copied into the database.
_LARGE_WAL_BYTES = 256 << 20
_SHOWN_PROBLEMS = 5
_COUNTED = ("sessions", "entries", "marks", "blobs", "projected", "small_values")


class Check(NamedTuple):
    """One thing that was looked at: its name, whether it is well, and the figure or the trouble."""

    name: str
    ok: bool
    detail: str


def inspect(path: Path) -> list[Check]:
    """Looks at everything and changes nothing; trouble is told, never raised. NotFound if there is no file."""
    _ensure_there(path)
    checks = [_mode(path), _log(path)]
    try:
        db = _connected(path)
    except ClewError as error:
        return [*checks, Check("opens", False, str(error))]
    except (apsw.Error, OSError) as error:
        return [*checks, Check("opens", False, str(clew_error(error, path)))]
    # Nor does closing: what is in the log stays there.
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    try:
        checks += [_checked(name, check, db, path) for name, check in _CHECKS]
    finally:
        db.close()
    return checks


def _ensure_there(path: Path) -> None:
    if not path.is_file():
        raise NotFound(f"there is no store at {path}", hint="name another", about="store")


def _connected(path: Path) -> apsw.Connection:
    return connect(path, durability="full", busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)


def _mode(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    closed = os.name == "nt" or mode & 0o077 == 0
    return Check("file mode", closed, f"{mode:04o}" + ("" if closed else f": others may read it; chmod 600 {path}"))


def _log(path: Path) -> Check:
    log = path.with_name(path.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    return Check("log size", size < _LARGE_WAL_BYTES, f"{size:,} bytes")


def _checked(name: str, check: Callable[[apsw.Connection], tuple[bool, str]], db: apsw.Connection, path: Path) -> Check:
    try:
        return Check(name, *check(db))
    except apsw.Error as error:
        return Check(name, False, str(clew_error(error, path)))
    except ClewError as error:
        return Check(name, False, str(error))


def _integrity(db: apsw.Connection) -> tuple[bool, str]:
    found = [str(line) for (line,) in db.execute("PRAGMA integrity_check(100)")]
    return found == ["ok"], _summary(found)


def _version(db: apsw.Connection) -> tuple[bool, str]:
    version = int(db.pragma("user_version"))
    return 0 < version <= len(MIGRATIONS), f"{version}; this Clew knows up to {len(MIGRATIONS)}"


def _counts(db: apsw.Connection) -> tuple[bool, str]:
    counted = {table: db.execute(f"SELECT count(*) FROM {table}").get for table in _COUNTED}
    return True, ", ".join(f"{count:,} {table}" for table, count in counted.items())


def _bodies(db: apsw.Connection) -> tuple[bool, str]:
    return _none(_unreadable(db, "SELECT session || ' entry ' || seq, kept, body FROM entries"))


def _projected(db: apsw.Connection) -> tuple[bool, str]:
    return _none(_unreadable(db, "SELECT session || ' row of ' || projection, kept, body FROM projected"))


def _blobs(db: apsw.Connection) -> tuple[bool, str]:
    return _none(_bad_blobs(db))


def _missing(db: apsw.Connection) -> tuple[bool, str]:
    return _none(
        f"{session} blob {digest[:12]} is missing"
        for session, digest in db.execute(
            "SELECT session, digest FROM blob_uses LEFT JOIN blobs USING (tenant, user, digest) WHERE body IS NULL"
        )
    )


def _unreadable(db: apsw.Connection, query: str) -> Iterator[str]:
    for name, kept, body in db.execute(query):
        try:
            decompress(kept, body)
        except ValueError as error:
            yield f"{name}: {error}"


def _bad_blobs(db: apsw.Connection) -> Iterator[str]:
    for digest, kept, body in db.execute("SELECT digest, kept, body FROM blobs"):
        try:
            whole = decompress(kept, body)
        except ValueError as error:
            yield f"{digest[:12]}: {error}"
            continue
        if hashlib.sha256(whole).hexdigest() != digest:
            yield f"{digest[:12]}: its bytes do not match its digest"


def _none(problems: Iterator[str]) -> tuple[bool, str]:
    found = list(problems)
    return not found, _summary(found) or "ok"


def _summary(problems: list[str]) -> str:
    more = len(problems) - _SHOWN_PROBLEMS
    return "; ".join(problems[:_SHOWN_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")


_CHECKS: tuple[tuple[str, Callable[[apsw.Connection], tuple[bool, str]]], ...] = (
    ("schema version", _version),
    ("integrity", _integrity),
    ("counts", _counts),
    ("entries readable", _bodies),
    ("rows readable", _projected),
    ("blobs readable", _blobs),
    ("blobs complete", _missing),
)

__all__ = ["Check", "inspect"]
