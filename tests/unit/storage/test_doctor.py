"""Checks and copies of a store's file, and its room given back."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from clew.domain import Entry, EntryKind, SessionKey
from clew.errors import NotFound
from clew.storage.doctor import backups, compact_file, inspect
from clew.storage.salvage import salvage
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.filled_stores import (
    ENTRIES,
    SECRET,
    SESSIONS,
    digest,
    fill,
    of_first_schema,
    pages_of,
    spoil,
    troubles,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


def test_a_sound_store_has_no_troubles(path: Path) -> None:
    checks = {check.name: check.detail for check in inspect(path)}
    assert troubles(path) == []
    assert checks["counts"] == "6 sessions, 480 entries, 480 marks, 60 blobs, 306 projected, 1 small_values"
    assert checks["file mode"] == "0600"


def test_inspecting_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    inspect(path)
    assert path.read_bytes() == before


def test_no_store_is_not_found_and_not_made(tmp_path: Path) -> None:
    for look in (inspect, salvage, compact_file):
        with pytest.raises(NotFound):
            look(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_others_may_read_is_a_trouble(path: Path) -> None:
    path.chmod(0o644)
    assert troubles(path) == ["file mode"]


def test_a_file_that_is_no_database_is_a_trouble(path: Path) -> None:
    path.write_bytes(b"nothing of the kind " * 1000)
    assert troubles(path) == ["opens"]


def test_garbage_in_a_page_is_a_trouble(path: Path) -> None:
    spoil(path, pages_of(path, "entries")[3])
    assert "integrity" in troubles(path)


def test_a_body_that_was_changed_on_the_disk_is_a_trouble(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("UPDATE blobs SET body = zeroblob(10), kept = 0 WHERE digest = (SELECT min(digest) FROM blobs)")
    db.execute("UPDATE entries SET body = x'28b52ffd0000', kept = 1 WHERE seq = 7")
    db.close()
    assert troubles(path) == ["entries readable", "blobs readable"]


def test_a_blob_that_is_missing_is_a_trouble(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DELETE FROM blobs WHERE digest = (SELECT min(digest) FROM blobs)")
    db.close()
    assert troubles(path) == ["blobs complete"]


def test_backups_and_damaged_files_are_listed(path: Path) -> None:
    names = ["store.db.backup-v1", "store.db.backup-v1-2", "store.db.damaged-1", "store.db.damaged-1-wal"]
    for name in [*names, "store.db.txt", "other.db.backup-v1", "store.db-journal"]:
        path.with_name(name).write_bytes(b"")
    assert [file.name for file in backups(path)] == names


def test_what_is_deleted_is_not_left_in_any_file(path: Path) -> None:
    doomed = SessionKey("acme", "ada", "doomed")
    compact_file(path)
    store = SqliteStore(path)
    store.append(doomed, [Entry(seq=1, kind=EntryKind.NOTE, format="clew", body=SECRET)])
    store.put_blobs(doomed, {digest(SECRET): SECRET + os.urandom(20_000)})
    store.put_rows(doomed, "story", {"a": SECRET})
    size = path.stat().st_size
    store.delete_session(doomed)
    compact_file(path)
    assert [file.name for file in path.parent.iterdir() if SECRET in file.read_bytes()] == []
    assert path.stat().st_size <= size
    store.close()


def files_with(folder: Path, content: bytes) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if content in file.read_bytes())


def test_words_that_are_deleted_are_not_left_in_any_file(path: Path) -> None:
    doomed = SessionKey("acme", "ada", "doomed")
    store = SqliteStore(path)
    store.put_words(doomed, {1: ["correcthorse"], 2: ["batterystaple"]})
    # The index leaves out the beginning that a word shares with the one before it.
    assert files_with(path.parent, b"recthorse") == ["store.db-wal"]
    store.delete_session(doomed)
    compact_file(path)
    assert files_with(path.parent, b"recthorse") + files_with(path.parent, b"terystaple") == []
    assert [one.total for one in store.find_words(SESSIONS[0], ["every", "word7"], 10)] == [1, ENTRIES]
    assert troubles(path) == []
    store.close()


def test_a_file_from_before_the_index_of_words_can_be_compacted(tmp_path: Path) -> None:
    compact_file(of_first_schema(tmp_path / "old.db"))


def test_room_is_given_back_after_deleting(path: Path) -> None:
    before = path.stat().st_size
    store = SqliteStore(path)
    for key in SESSIONS[1:]:
        store.delete_session(key)
    compact_file(path)
    assert path.stat().st_size < before / 3
    assert path.with_name("store.db-wal").stat().st_size == 0
    assert len(list(store.entries(SESSIONS[0]))) == ENTRIES
    store.close()
