"""Stores with something in them, ways to damage them, and all that can be read of one."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import apsw

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey
from clew.ports import WORDS
from clew.storage.doctor import inspect
from clew.storage.schema import MIGRATIONS, ensure_current, ensure_file
from clew.storage.sqlite import SqliteStore

PAGE = 4096
SESSIONS = [SessionKey("acme", "ada", f"session {number}") for number in range(6)]
ENTRIES = 80
SECRET = b"correct horse battery staple"


def body(key: SessionKey, seq: int) -> bytes:
    """About two kilobytes that do not shrink, different for each entry."""
    return f"{key.id} {seq} ".encode() + random.Random(f"{key.id} {seq}").randbytes(2000)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fill(path: Path) -> None:
    store = SqliteStore(path, durability="normal")
    for key in SESSIONS:
        entries = [
            Entry(seq=seq, kind=EntryKind.MESSAGE, format="clew", body=body(key, seq), message=seq)
            for seq in range(1, ENTRIES + 1)
        ]
        with store.transaction():
            store.append(key, entries)
            store.put_marks(key, {digest(entry.body).encode(): entry.seq for entry in entries})
            store.put_blobs(key, {digest(entry.body): entry.body for entry in entries[:10]})
            store.put_rows(key, "story", {f"{seq:04}": b"row" * 50 for seq in range(50)})
            store.put_rows(key, WORDS, {"": b"up to here"})
            store.put_words(key, {seq: ["every", f"word{seq}"] for seq in range(1, ENTRIES + 1)})
            store.save_session(SessionInfo(key=key, title=key.id, entries=ENTRIES, messages=ENTRIES))
    store.put_values("acme", "ada", "space", {"name": b"value"})
    store.close()


def of_first_schema(path: Path) -> Path:
    """An empty store as the first Clew made it."""
    ensure_file(path)
    db = apsw.Connection(str(path))
    db.pragma("auto_vacuum", "INCREMENTAL")
    ensure_current(db, path, MIGRATIONS[:1])
    db.close()
    return path


def spoil(path: Path, *pages: int) -> None:
    """Writes garbage over pages, which count from 1."""
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(random.Random(page).randbytes(PAGE))


def pages_of(path: Path, table: str) -> list[int]:
    """The pages that hold a table's rows."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    return [page for (page,) in db.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))]


def troubles(path: Path) -> list[str]:
    return [check.name for check in inspect(path) if not check.ok]


def damage(path: Path) -> list[str]:
    """Troubles that a salvage can help with: what is lost it cannot bring back."""
    return [name for name in troubles(path) if not name.endswith("complete")]


def contents(path: Path) -> dict[str, object]:
    store = SqliteStore(path)
    found = {
        key.id: (
            store.session(key),
            [(entry.seq, entry.body) for entry in store.entries(key)],
            store.marks(key, [digest(body(key, seq)).encode() for seq in range(1, ENTRIES + 1)]),
            store.blobs(key, [digest(body(key, seq)) for seq in range(1, ENTRIES + 1)]),
            store.rows(key, "story"),
        )
        for key in SESSIONS
    }
    store.close()
    return {**found, "values": store_values(path)}


def store_values(path: Path) -> dict[str, bytes]:
    store = SqliteStore(path)
    try:
        return store.values("acme", "ada", "space")
    finally:
        store.close()
