"""Shared by all tests: a clock that ticks when told, engines on each store."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.engine.core import Engine
from tests.journeys.program import Program


class HandClock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.time = now

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(params=["memory", "sqlite"])
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: HandClock) -> Iterator[Engine]:
    store = ":memory:" if request.param == "memory" else tmp_path / "clew.db"
    with clew.open(store, config=Config(), clock=clock) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the settings of whoever runs it, touches their store, or asks a model at their cost."""
    for kind in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "xdg"))
    for name in [name for name in os.environ if name.startswith("CLEW_") and name != "CLEW_BENCH_DATA"]:
        monkeypatch.delenv(name)


@pytest.fixture
def clew_program(tmp_path: Path) -> Program:
    """The real command line, on a store of its own."""
    return Program(tmp_path)
