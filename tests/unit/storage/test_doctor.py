"""Checks of a store's file."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from clew.errors import NotFound
from clew.storage.doctor import inspect
from clew.storage.salvage import salvage
from tests.unit.storage.filled_stores import (
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
