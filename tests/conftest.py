"""Shared by all tests: a clock that ticks when told, engines on each store."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from itertools import count
from pathlib import Path

import pytest

import clew
from clew.config import Config
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from tests.effort import THOROUGH, first, set_examples
from tests.journeys.program import Program

set_examples()


class HandClock:
    """Stands still until it is moved."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.time = now

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def pytest_configure() -> None:
    """Tests in the background are started to ignore ctrl-c, and what they start would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests of an engine run on the stores that ``pytest.mark.stores`` names. Others run on each in a thorough run,
    and on a file, as people have it, in a quick one.
    """
    if "store_url" in metafunc.fixturenames:
        marked = metafunc.definition.get_closest_marker("stores")
        metafunc.parametrize("store_url", marked.args if marked else first(("sqlite", "memory")), indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A quick run leaves out what is marked as thorough."""
    left = [] if THOROUGH else [item for item in items if item.get_closest_marker("thorough")]
    if left:
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


def pytest_collection_finish() -> None:
    """What was imported stays: nobody looks for garbage among it again, which takes a good part of a second."""
    gc.freeze()


@pytest.fixture
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    return ":memory:" if request.param == "memory" else tmp_path / "clew.db"


@pytest.fixture
def engine(request: pytest.FixtureRequest, store_url: Path | str, clock: HandClock) -> Iterator[Engine]:
    person = DEFAULT_USER if request.node.get_closest_marker("person") else ""
    with clew.open(store_url, config=Config(), clock=clock, person=person) as opened:
        yield opened


_tests = count()


@pytest.fixture(autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads the settings of whoever runs it, touches their store, or asks a model at their cost. Folders are
    made by whoever writes to them: most tests do not.
    """
    own = tmp_path_factory.getbasetemp() / f"own-{next(_tests)}"
    for kind in ("DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(own / "xdg"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME"):
        monkeypatch.setenv(name, str(own / "assistants" / name))
    for name in [name for name in os.environ if name.startswith("CLEW_") and name != "CLEW_BENCH_DATA"]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CLEW_HOOKS__LISTENER_MINUTES", "0")  # no process is left behind


@pytest.fixture(autouse=True)
def _no_encoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoder reads in the background, which takes time, where a test is not marked as one of it."""
    if request.node.get_closest_marker("encoder") is None:
        monkeypatch.setattr("clew.signals.learned.encoder.is_installed", lambda: False)
        monkeypatch.setattr("clew.signals.learned.encoder.versioned_name", _no_such_distribution)
        monkeypatch.setenv("CLEW_CRITICAL__ENCODER", "false")
        monkeypatch.setenv("CLEW_MODELS__EMBEDDER", "none")


def _no_such_distribution() -> str:
    raise PackageNotFoundError("clew-encoder")


@pytest.fixture(autouse=True, scope="session")
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where no bytecode may lie beside the source, processes that tests start share a folder for it.

    Compiling everything anew takes longer than most of what they are started for.
    """
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


@pytest.fixture
def clew_program(tmp_path: Path) -> Program:
    """The real command line, on a store of its own."""
    program = Program(tmp_path)
    program.store.parent.mkdir(parents=True)
    return program
