"""Checks of a store's file."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from clew.domain import SessionInfo
from clew.errors import NotFound
from clew.storage.doctor import inspect
from clew.storage.salvage import salvage
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.filled_stores import (
    ENTRIES,
    SESSIONS,
    fill,
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
    for look in (inspect, salvage):
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


def test_entries_that_are_missing_are_named_with_the_command_that_brings_them_back(path: Path) -> None:
    store = SqliteStore(path)
    store.save_session(SessionInfo(key=SESSIONS[0], entries=ENTRIES, messages=ENTRIES, source="/tmp/my file.jsonl"))
    store.close()
    db = apsw.Connection(str(path))
    db.execute("DELETE FROM entries WHERE session = 'session 0' AND seq IN (3, 4, 9)")
    db.execute("DELETE FROM entries WHERE session = 'session 1' AND seq = 80")
    db.close()
    check = next(check for check in inspect(path) if check.name == "entries complete")
    assert check.detail.split("; ") == [
        "session session 0 lacks 3 of 80 entries, with them m3–m4, m9",
        "session session 1 lacks 1 of 80 entries, with them m80 (it has no known file",
        "if it came from one, import that again)",
    ]
    assert check.next == ("clew import '/tmp/my file.jsonl'",)


def test_a_row_of_a_session_that_cannot_be_read_is_a_trouble(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("UPDATE sessions SET info = x'ff00' WHERE session = 'session 0'")
    db.close()
    assert troubles(path) == ["sessions readable"]


def test_damage_names_the_command_that_repairs_it(path: Path) -> None:
    spoil(path, pages_of(path, "entries")[3])
    assert {check.next for check in inspect(path) if check.name == "integrity"} == {("clew doctor --repair",)}
