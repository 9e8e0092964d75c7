"""The tables of a SQLite store, and how a file of an older Clew becomes one of this Clew.

Tenant and user lead every primary key. Each migration is applied once, in order and by name, in one
transaction, after a copy of the file has been put beside it. Never edit one that has been released: add one.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from clew.errors import NotFound, StorageError, StoreTooNew
from clew.storage.file_copies import backup_name, copy_database

#: Written into the header of every store, so that another program's database is never taken for one ("clew").
APPLICATION_ID = 0x636C6577

#: The rows of one session, in any table; the parameters are those of its key.
OF_SESSION = "tenant = ? AND user = ? AND session = ?"

#: Pages of a store, and how those of a tree begin.
_PAGE_BYTES = 4096
_TREE_PAGES = {2, 5, 10, 13}

Migration = tuple[str, str | Callable[[apsw.Connection], None]]

# Names of rows and values are blobs: UTF-8 that also holds what a file name may (lone surrogates), in order of code
# points. Only small rows are WITHOUT ROWID: big ones would make every step through the tree read whole bodies.
# STRICT lets an integrity check find garbage by its type. `kept` says how a body is kept (compression.py).
_FIRST = """
CREATE TABLE sessions(
  tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL,
  updated REAL NOT NULL, info BLOB NOT NULL,
  PRIMARY KEY(tenant, user, session)) STRICT;
CREATE TABLE entries(
  tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, seq INTEGER NOT NULL,
  message INTEGER NOT NULL, replaces INTEGER NOT NULL, kind TEXT NOT NULL, format TEXT NOT NULL, at REAL,
  kept INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY(tenant, user, session, seq)) STRICT;
CREATE INDEX entries_of_messages ON entries(tenant, user, session, message, seq);
CREATE TABLE marks(
  tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, name BLOB NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY(tenant, user, session, name)) STRICT, WITHOUT ROWID;
CREATE TABLE blobs(
  tenant TEXT NOT NULL, user TEXT NOT NULL, digest TEXT NOT NULL,
  kept INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY(tenant, user, digest)) STRICT;
CREATE TABLE blob_uses(
  tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, digest TEXT NOT NULL,
  PRIMARY KEY(tenant, user, session, digest)) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_blobs ON blob_uses(tenant, user, digest);
CREATE TABLE projected(
  tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL, projection TEXT NOT NULL, name BLOB NOT NULL,
  kept INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY(tenant, user, session, projection, name)) STRICT;
CREATE TABLE small_values(
  tenant TEXT NOT NULL, user TEXT NOT NULL, space TEXT NOT NULL, name BLOB NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY(tenant, user, space, name)) STRICT;
"""

# Only rowids are kept of where a word stands: FTS5 then needs a tenth of the room. It splits at blanks alone, since
# the words come ready made.
_WORDS = """
CREATE TABLE word_sessions(
  number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, user TEXT NOT NULL, session TEXT NOT NULL,
  UNIQUE(tenant, user, session)) STRICT;
CREATE VIRTUAL TABLE words USING fts5(
  held, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '.-_:'");
"""

MIGRATIONS: tuple[Migration, ...] = (
    ("ledger, blobs, projections and values", _FIRST),
    ("an index of the words of messages", _WORDS),
)


def ensure_current(db: apsw.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Brings the file to the newest schema; safe when several processes open it at once."""
    version = known_version(db, path, migrations)
    if version == len(migrations):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        version = known_version(db, path, migrations)
        if 0 < version < len(migrations):
            _keep_backup(path, version)
        _migrate(db, version, migrations)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def known_version(db: apsw.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """The schema's number, 0 for a new file; raises for a file that this Clew must not touch."""
    with db:  # all three as of one moment: another process may be making the file right now
        version, tables = int(db.pragma("user_version")), _tables(db)
        is_ours = db.pragma("application_id") == APPLICATION_ID
    if not is_ours and (version or tables):
        raise StorageError(f"{path} is a database of another program", hint="name another store", about="store")
    if version > len(migrations):
        raise StoreTooNew(
            f"{path} has schema {version} and this Clew knows up to {len(migrations)}",
            hint="update Clew, or name another store",
            about="version",
        )
    return version


def _tables(db: apsw.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM sqlite_schema").get)


def _keep_backup(path: Path, version: int) -> None:
    # A connection of its own sees the file as it was before this transaction.
    copy_database(path, backup_name(path, version))


def _migrate(db: apsw.Connection, version: int, migrations: Sequence[Migration]) -> None:
    if version == 0:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("CREATE TABLE migrations(number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
    for number, (name, change) in enumerate(migrations[version:], version + 1):
        if callable(change):
            change(db)
        else:
            db.execute(change)
        db.execute("INSERT INTO migrations VALUES(?, ?)", (number, name))
    db.execute(f"PRAGMA user_version = {len(migrations)}")


def ensure_file(path: Path) -> bool:
    """Makes the file, for nobody else to read, unless it is there; True if it is new. NotFound without its folder:
    a path that was mistyped must not become an empty store.
    """
    if not path.parent.is_dir():
        folder = shlex.quote(str(path.parent))
        raise NotFound(f"there is no folder for the store {path}", hint=f"make it with `mkdir -p {folder}`")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def is_store_file(path: Path) -> bool:
    """A database with Clew's mark in its header, or one whose header is too damaged to tell but whose pages are not."""
    with path.open("rb") as file:
        head = file.read(_PAGE_BYTES)
        if head.startswith(b"SQLite format 3\x00"):
            return head[68:72] == APPLICATION_ID.to_bytes(4, "big")
        return any(map(_is_page, iter(lambda: file.read(_PAGE_BYTES), b"")))


def _is_page(page: bytes) -> bool:
    """A page of a tree: its kind, then offsets that lie within it."""
    offsets = [int.from_bytes(page[at : at + 2], "big") for at in (1, 3, 5)]
    return len(page) == _PAGE_BYTES and page[0] in _TREE_PAGES and max(offsets) <= _PAGE_BYTES


__all__ = [
    "APPLICATION_ID",
    "MIGRATIONS",
    "Migration",
    "ensure_current",
    "ensure_file",
    "is_store_file",
    "known_version",
]
