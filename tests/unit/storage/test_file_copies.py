"""A copy of a store's file is whole, for its owner alone, and never written over another file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from clew.storage.file_copies import copy_database, other_copies
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.filled_stores import SESSIONS, contents, fill


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


def test_a_copy_holds_everything_and_is_for_its_owner_alone(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    store = SqliteStore(path)
    store.put_marks(SESSIONS[0], {b"only in the log": 1})
    copy_database(path, target)
    assert SqliteStore(target).marks(SESSIONS[0], [b"only in the log"]) == {b"only in the log": 1}
    store.close()
    assert contents(target) == contents(path)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_copy_is_never_written_over_another_file(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "taken"
    target.write_text("mine")
    with pytest.raises(FileExistsError, match="taken"):
        copy_database(path, target)
    assert target.read_text() == "mine"


def test_backups_damaged_files_and_unfinished_copies_are_listed(path: Path) -> None:
    names = ["store.db.backup-v1", "store.db.backup-v1-2", "store.db.damaged-1", "store.db.damaged-1-wal"]
    names = ["store.db-salvage-new", *names, "store.db.backup-v1.draft-77"]
    for name in [*names, "store.db.txt", "other.db.backup-v1", "store.db-journal"]:
        path.with_name(name).write_bytes(b"")
    assert [file.name for file in other_copies(path)] == sorted(names)
