"""The reference loop: fixed work, timed before and after each benchmark, that tells a slow hour from slow code.

It does what Clew does most, in pure Python and a little SQLite in memory: words are counted, records are written as
JSON and read back, rows go into a table and come out sorted. Nothing in it is Clew's, and its result never changes.
Run alone (``python -m bench.reference``) it measures the constant for another machine.
"""

from __future__ import annotations

import gc
import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

#: One loop is so many rounds of the same work, each of about ten milliseconds.
ROUNDS = 20
#: Seconds that the loop takes on a quiet machine: ``ROUNDS`` times the shortest of some 10,000 rounds. The shortest was
#: taken because the machine was busy, and load can only make a round longer: one in thousands runs undisturbed. An
#: ordinary loop on a quiet machine is a few hundredths slower. Python 3.11, two cores.
QUIET_SECONDS = 0.168
#: What a round returns. If it changes, the work has changed, and the constant above no longer holds.
CHECKSUM = "78371476f92d2add45c800346e665ee3925155662a318f1ac8931e6610ba0f13"

_RECORDS, _ROWS = 520, 700
_WORDS = ("parser", "invoice", "retry", "window", "cursor", "batch", "header", "upload", "token", "merge", "report")


@dataclass(frozen=True, slots=True)
class Reference:
    """The time that the loop took beside a benchmark."""

    seconds: float

    @property
    def factor(self) -> float:
        """The machine's speed at that time, as a share of its speed when it is quiet."""
        return QUIET_SECONDS / self.seconds

    def __str__(self) -> str:
        times = f"{self.seconds:.2f} s (quiet machine: {QUIET_SECONDS:.2f} s)"
        return f"reference: {times}, speed factor {self.factor:.2f}"


def measure_loop() -> float:
    """Runs the loop once and returns the seconds it took."""
    with _without_collector():
        begin = time.perf_counter()
        for _ in range(ROUNDS):
            run_round()
        return time.perf_counter() - begin


def measure_quiet(rounds: int = 10_000) -> float:
    """Estimates the loop's time on a quiet machine from its shortest round."""
    with _without_collector():
        return ROUNDS * min(_round_seconds() for _ in range(rounds))


def run_round() -> str:
    """Does a fixed piece of work and returns a checksum of its result."""
    records = [_record(at) for at in range(_RECORDS)]
    counts = Counter(word for record in records for word in str(record["text"]).split())
    read = [json.loads(json.dumps(record)) for record in records]
    best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:20]
    texts = [f"{record['id']:>6} {record['text'][:40].upper()}" for record in read]
    result = "\n".join([*texts, *map(str, best), *map(str, _sorted_rows())])
    return sha256(result.encode()).hexdigest()


def _record(at: int) -> dict[str, object]:
    words = [f"{_WORDS[(at * 7 + step * 3) % len(_WORDS)]}_{(at * 31 + step) % 97}" for step in range(12)]
    return {"id": at, "text": " ".join(words), "size": at * 37 % 1009, "tags": words[:3]}


def _sorted_rows() -> list[tuple[str, int]]:
    with sqlite3.connect(":memory:") as store:
        store.execute("create table row (name text primary key, size integer, body blob)")
        rows = [(f"{at * 7919 % _ROWS:06d}", at, b"x" * (at % 64)) for at in range(_ROWS)]
        store.executemany("insert into row values (?, ?, ?)", rows)
        found = store.execute("select name, size from row where size % 3 = 0 order by size desc").fetchall()
    store.close()
    return found


def _round_seconds() -> float:
    begin = time.perf_counter()
    run_round()
    return time.perf_counter() - begin


@contextmanager
def _without_collector() -> Iterator[None]:
    """A benchmark's own objects must not make the loop slower: the collector would look through all of them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


if __name__ == "__main__":
    print(f"QUIET_SECONDS = {measure_quiet():.3f}")
