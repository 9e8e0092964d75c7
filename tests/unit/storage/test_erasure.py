"""What was deleted is left in none of a store's files, and its room is given back."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from clew.domain import Entry, EntryKind, SessionKey
from clew.errors import NotFound
from clew.ports import Erasure
from clew.storage import erasure
from clew.storage.erasure import erase_deleted
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.filled_stores import (
    ENTRIES,
    SECRET,
    SESSIONS,
    digest,
    fill,
    of_first_schema,
    troubles,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


def test_no_store_is_not_found_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        erase_deleted(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_what_is_deleted_is_not_left_in_any_file(path: Path) -> None:
    doomed = SessionKey("acme", "ada", "doomed")
    erase_deleted(path)
    store = SqliteStore(path)
    store.append(doomed, [Entry(seq=1, kind=EntryKind.NOTE, format="clew", body=SECRET)])
    store.put_blobs(doomed, {digest(SECRET): SECRET + os.urandom(20_000)})
    store.put_rows(doomed, "story", {"a": SECRET})
    size = path.stat().st_size
    store.delete_session(doomed)
    erase_deleted(path)
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
    erase_deleted(path)
    assert files_with(path.parent, b"recthorse") + files_with(path.parent, b"terystaple") == []
    assert [one.total for one in store.find_words(SESSIONS[0], ["every", "word7"], 10)] == [1, ENTRIES]
    assert troubles(path) == []
    store.close()


def test_a_file_from_before_the_index_of_words_can_be_compacted(tmp_path: Path) -> None:
    erase_deleted(of_first_schema(tmp_path / "old.db"))


def test_room_is_given_back_after_deleting(path: Path) -> None:
    before = path.stat().st_size
    store = SqliteStore(path)
    for key in SESSIONS[1:]:
        store.delete_session(key)
    erase_deleted(path)
    assert path.stat().st_size < before / 3
    assert path.with_name("store.db-wal").stat().st_size == 0
    assert len(list(store.entries(SESSIONS[0]))) == ENTRIES
    store.close()


def test_copies_that_hold_what_was_deleted_are_deleted_and_named(path: Path) -> None:
    copies = [path.with_name(f"store.db{end}") for end in (".backup-v1", ".damaged-1", ".damaged-1-wal")]
    for copy in copies:
        copy.write_bytes(SECRET)
    assert erase_deleted(path) == Erasure(copies=tuple(map(str, copies)))
    assert files_with(path.parent, SECRET) == []


def test_a_log_that_another_process_reads_is_said_to_hold_what_was_deleted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "BUSY_TIMEOUT_SECONDS", 0)
    reader = apsw.Connection(str(path))
    reader.execute("BEGIN; SELECT count(*) FROM entries").fetchall()
    store = SqliteStore(path)
    store.delete_session(SESSIONS[0])
    assert "store.db-wal still holds deleted content" in store.erase_deleted().left
    reader.close()
    assert store.erase_deleted().left == ""
    store.close()
