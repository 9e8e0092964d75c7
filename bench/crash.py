"""The long versions of the crash and many-writers journeys: nothing acknowledged may be lost or half there.

Either raises an AssertionError on the first that is.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.journeys.storage_writer import SHARED, key_of, start, whole_transactions
from tests.journeys.test_crash import check_rounds

from bench.results import Figure
from clew.storage.doctor import inspect
from clew.storage.stores import open_store

ROUNDS, WORKERS, SECONDS, SEED = 200, 8, 30.0, 2


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        seen = check_rounds(Path(folder), rounds=ROUNDS, seed=SEED)
        together = write_together(Path(folder))
    return [
        Figure("crash", f"transactions over {ROUNDS} kill -9 rounds", seen),
        Figure("crash", "lost or half done", 0, "", "= 0"),
        *together,
    ]


def write_together(folder: Path) -> list[Figure]:
    path = folder / "many" / "store.db"
    path.parent.mkdir()
    writers = [start("in-turns", path, worker, 0) for worker in range(WORKERS)]
    time.sleep(SECONDS)
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
    said = [writer.communicate()[0] for writer in writers]
    assert said == [b"done\n"] * WORKERS, said
    store = open_store(str(path))
    shared = whole_transactions(store, SHARED)
    own = [len(whole_transactions(store, key_of(worker))) for worker in range(WORKERS)]
    store.close()
    assert [check for check in inspect(path) if not check.ok] == []
    lost = abs(len(shared) - sum(own))
    return [
        Figure("crash", f"transactions of {WORKERS} writers in {SECONDS:.0f} s", len(shared) + sum(own)),
        Figure("crash", "lost among writers", lost, "", "= 0"),
        Figure("crash", "fewest turns of a writer to most", min(own) / max(own), "×"),
    ]
