"""Digests of packs: a line for each session, target and budget, so that ``diff`` compares what two revisions send.

``python -m bench digests [FILE]`` writes them to FILE, ``.bench/digests.txt`` without one. Nothing in them depends on
the time, the machine or the order of work.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import clew
from bench.data import CACHE, transcripts
from clew.codecs import registry
from clew.config import Config
from clew.engine.session import Session
from clew.errors import BudgetExceeded

_WORKERS = 2
_BUDGETS = (2_500, 9_000, 40_000)
_TARGETS = ("text", *registry.PROVIDERS)
_QUERY = "What failed last, and where is it?"
_START = 1_790_000_000.0


class CountingClock:
    """A clock that moves on by a second each time it is read: the same for every run."""

    def __init__(self) -> None:
        self._at = _START

    def now(self) -> float:
        self._at += 1.0
        return self._at


def main(arguments: Sequence[str]) -> int:
    """Takes the arguments after the benchmark's name: the file to write, if any."""
    write_digests(Path(arguments[0]) if arguments else CACHE / "digests.txt", transcripts())
    return 0


def write_digests(target: Path, sources: Sequence[Path]) -> None:
    """Writes the digests of session files, in their order."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w") as out, ProcessPoolExecutor(_WORKERS) as pool:
        for at, lines in enumerate(pool.map(digest_lines, sources), 1):
            out.writelines(f"{line}\n" for line in lines)
            print(f"  {at} of {len(sources)} files", file=sys.stderr, flush=True)


def digest_lines(source: Path, *, targets: Sequence[str] = _TARGETS, budgets: Sequence[int] = _BUDGETS) -> list[str]:
    """The lines of one session file."""
    config = Config()
    config = replace(config, compaction=replace(config.compaction, background=False))
    with clew.open(":memory:", config=config, clock=CountingClock()) as engine:
        names = [report.session for report in engine.import_file(source)]
        return [
            f"{source.name} {name} {target} {budget}: {_digest(engine.find(name), target, budget)}"
            for name in names
            for target in targets
            for budget in budgets
        ]


def _digest(session: Session, target: str, budget: int) -> str:
    try:
        pack = session.pack(_QUERY, budget=budget, target=target, record=False)
        return f"{pack.tokens} tokens, epoch {pack.epoch}, {pack.digest}"
    except BudgetExceeded as error:
        return f"refused, {error}"
