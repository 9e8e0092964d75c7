"""The long versions of the crash and many-writers journeys.

    python bench/crash.py [--rounds 200] [--workers 8] [--seconds 30] [--seed N]

Exits with an AssertionError on the first acknowledged entry that is lost or transaction that is half there.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.journeys.storage_writer import SHARED, key_of, start, whole_transactions
from tests.journeys.test_crash import check_rounds

from clew.storage import open_store
from clew.storage.doctor import inspect


def kill_many(folder: Path, *, rounds: int, seed: int) -> None:
    began = time.perf_counter()
    seen = check_rounds(folder, rounds=rounds, seed=seed)
    took = time.perf_counter() - began
    print(f"kill -9: {rounds} rounds, {seen} transactions, none lost and none half done, in {took:.0f} s")


def write_together(folder: Path, *, workers: int, seconds: float) -> None:
    path = folder / "many" / "store.db"
    writers = [start("in-turns", path, worker, 0) for worker in range(workers)]
    time.sleep(seconds)
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"\n")
    said = [writer.communicate()[0] for writer in writers]
    assert said == [b"done\n"] * workers, said
    store = open_store(str(path))
    shared = whole_transactions(store, SHARED)
    own = [len(whole_transactions(store, key_of(worker))) for worker in range(workers)]
    store.close()
    assert [check for check in inspect(path) if not check.ok] == []
    assert len(shared) == sum(own)
    total = len(shared) + sum(own)
    print(f"{workers} writers for {seconds:.0f} s: {total} durable transactions, {total / seconds:.0f} a second;")
    print(f"  each wrote {min(own)} to {max(own)} turns; none lost, none half done, none refused")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kill_many(Path(folder), rounds=options.rounds, seed=options.seed)
        write_together(Path(folder), workers=options.workers, seconds=options.seconds)


if __name__ == "__main__":
    main()
