"""Many processes on one file: nobody's entry is lost, and everybody reads whole transactions."""

from __future__ import annotations

from pathlib import Path

from clew.storage.doctor import inspect
from clew.storage.stores import open_store
from tests.journeys.storage_writer import SHARED, key_of, start, whole_transactions

WORKERS = 8
TURNS = 25


def test_many_processes_write_one_file_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    writers = [start("in-turns", path, worker, TURNS) for worker in range(WORKERS)]
    store = open_store(str(path), busy_timeout_seconds=60)
    seen: list[str] = []
    for writer in writers:
        writer.wait()
        with store.transaction():
            now = whole_transactions(store, SHARED)
        assert now[: len(seen)] == seen
        seen = now
    assert [writer.stdout.read() for writer in writers if writer.stdout] == [b"done\n"] * WORKERS

    shared = whole_transactions(store, SHARED)
    assert sorted(shared) == sorted(f"{worker}.{turn}" for worker in range(WORKERS) for turn in range(TURNS))
    for worker in range(WORKERS):
        own = [f"{worker}.{turn}" for turn in range(TURNS)]
        assert whole_transactions(store, key_of(worker)) == own
        assert [label for label in shared if label.startswith(f"{worker}.")] == own
    store.close()
    assert [check for check in inspect(path) if not check.ok] == []
