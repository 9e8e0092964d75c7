"""A process that is killed in the middle loses nothing it was told is written, and leaves nothing half done."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from clew.storage.doctor import inspect
from clew.storage.stores import open_store
from tests.journeys.storage_writer import SHARED, start, whole_transactions

ROUNDS = 20

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs kill -9")


def kill_one(path: Path, *, round: int, chance: random.Random) -> int:
    """Starts a writer and kills it after some acknowledgements; returns the last number that it gave."""
    writer = start("until-killed", path, round)
    assert writer.stdout is not None
    wanted = chance.choice((0, 0, 1, 2, 5, 20, 60))
    said = b"".join(writer.stdout.readline() for _ in range(wanted + 1))
    writer.kill()
    said += writer.stdout.read()
    writer.wait()
    writer.stdout.close()
    # A last line without its end was never given whole.
    return max((int(line) for line in said.split(b"\n")[:-1] if line.isdigit()), default=0)


def check_rounds(folder: Path, *, rounds: int, seed: int) -> int:
    """Kills so many writers one after the other, five to a store; returns how many transactions were seen."""
    chance = random.Random(seed)
    before: list[str] = []
    seen = 0
    for round in range(rounds):
        path = folder / f"{round // 5}" / "store.db"
        if round % 5 == 0:  # also killed while a new store is being made
            path.parent.mkdir()
            before = []
        acknowledged = kill_one(path, round=round, chance=chance)
        store = open_store(str(path))
        info = store.session(SHARED)
        assert (info.entries if info else 0) >= acknowledged
        now = whole_transactions(store, SHARED)
        assert now[: len(before)] == before
        store.close()
        assert [check for check in inspect(path) if not check.ok] == []
        seen += len(now) - len(before)
        before = now
    return seen


def test_a_killed_writer_loses_nothing_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    assert check_rounds(tmp_path, rounds=ROUNDS, seed=1) > 0
