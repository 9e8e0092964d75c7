"""Opening a SQLite file the way Clew needs it."""

from __future__ import annotations

import random
import time
from pathlib import Path
from urllib.parse import quote

import apsw

from clew.storage.failures import damage_error, no_store, read_only
from clew.storage.schema import MIGRATIONS, ensure_current, ensure_file, is_store_file, known_version

_MAGIC = b"SQLite format 3\0"
_SYNCHRONOUS = {"full": "FULL", "normal": "NORMAL"}
_SETTINGS = {
    # What is deleted is overwritten, also inside pages that stay in use.
    "secure_delete": "ON",
    # Nothing of a conversation is left in a temporary folder.
    "temp_store": "MEMORY",
    # KiB: large enough for the marks of an import, which land all over their tree.
    "cache_size": -32_000,
    # Bytes: the log is cut back to this after it has been copied into the database.
    "journal_size_limit": 16 << 20,
}
#: Between two tries to get a lock. Short, since a transaction of one message takes a few milliseconds, and
#: uneven, so that several waiting processes do not keep step.
_WAIT_SECONDS = (0.0005, 0.004)


class BusyRetry:
    """Waits for a lock until the time is up; SQLite asks again after each True."""

    __slots__ = ("deadline", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.deadline = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self.deadline = now + self.seconds
        if now >= self.deadline:
            return False
        time.sleep(random.uniform(*_WAIT_SECONDS))
        return True


def connect(path: Path, *, durability: str, busy_timeout_seconds: float, vfs: str | None = None) -> apsw.Connection:
    """A connection to a file that is there; it is never made here, or an empty one could hide a lost one.

    A file that may not be written is opened for reading.
    """
    db = _connect(path, vfs)
    db.set_busy_handler(BusyRetry(busy_timeout_seconds))
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.pragma("synchronous", _SYNCHRONOUS[durability])
    for name, value in _SETTINGS.items():
        db.pragma(name, value)
    return db


def limit_memory(most_bytes: int) -> None:
    """Makes all connections of this process together keep about so much in memory, for one that runs for long: each by
    itself keeps what makes imports quick.
    """
    apsw.soft_heap_limit(most_bytes)


def _connect(path: Path, vfs: str | None) -> apsw.Connection:
    try:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=vfs)
        if not db.readonly("main"):
            return db
    except apsw.CantOpenError:
        db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs)
    return db if _reads(db) else _immutable(path, vfs)


def _reads(db: apsw.Connection) -> bool:
    """False where even a reader would have to write: the index of the log, in a folder where nobody may."""
    try:
        db.pragma("schema_version")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db.close()
        return False
    return True


def _immutable(path: Path, vfs: str | None) -> apsw.Connection:
    """The file alone, as if it never changed. Its log must be empty, or what is in there would be overlooked."""
    log = path.with_name(path.name + "-wal")
    if _size(log):
        raise read_only(path, f"and its log {log.name} cannot be read without writing beside it")
    uri = f"file:{quote(str(path))}?immutable=1"
    return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, vfs=vfs)


def open_file(path: Path, *, durability: str, busy_timeout_seconds: float, vfs: str | None = None) -> apsw.Connection:
    """A connection to the file, which is made if it is not there and brought to the newest schema.

    One that may not be written must have that schema already.
    """
    _refuse_orphaned_log(path)
    ensure_file(path)
    _refuse_other_files(path)
    db = connect(path, durability=durability, busy_timeout_seconds=busy_timeout_seconds, vfs=vfs)
    try:
        version = known_version(db, path)
        if not db.readonly("main"):
            _ensure_log_mode(db, busy_timeout_seconds)
            ensure_current(db, path)
        elif version != len(MIGRATIONS):
            raise read_only(path, f"and its schema {version} has to be brought to {len(MIGRATIONS)} first")
    except BaseException:
        db.close()
        raise
    return db


def _refuse_orphaned_log(path: Path) -> None:
    """SQLite throws a log away that has no database beside it, and with it the last transactions."""
    log = path.with_name(path.name + "-wal")
    if _size(log) > 0 and _size(path) == 0:
        raise damage_error(path, f"it is missing or empty, but its log {log.name} is not")


def _refuse_other_files(path: Path) -> None:
    """SQLite takes a file of a few bytes for an empty one, and would write over it."""
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head and head != _MAGIC:
        raise damage_error(path, "it does not begin like a database") if is_store_file(path) else no_store(path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _ensure_log_mode(db: apsw.Connection, busy_timeout_seconds: float) -> None:
    """Write-ahead log, so that readers and the writer do not wait for one another.

    Two processes that switch a new file at the same moment get an error at once, without their busy
    handler being asked; so it is tried again here.
    """
    retry = BusyRetry(busy_timeout_seconds)
    tries = 0
    while True:
        try:
            db.pragma("auto_vacuum", "INCREMENTAL")
            db.pragma("journal_mode", "WAL")
            return
        except apsw.BusyError:
            if not retry(tries):
                raise
            tries += 1


__all__ = ["connect", "open_file"]
