"""While an import reads, Python looks for no cyclic garbage; afterwards it does what it did before."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from clew.engine.engine import Engine
from clew.engine.ingest.collector import collector_paused
from clew.errors import NotFound
from clew.samples import sample


def test_the_collector_is_as_it_was_once_a_file_is_imported(engine: Engine, tmp_path: Path) -> None:
    running: list[bool] = []
    engine.import_file(sample(), project=False, progress=lambda _bytes: running.append(gc.isenabled()))
    assert running
    assert not any(running)
    assert gc.isenabled()
    with pytest.raises(NotFound):
        engine.import_file(tmp_path / "missing.jsonl", project=False)
    assert gc.isenabled()


def test_a_collector_that_somebody_else_stopped_stays_so() -> None:
    gc.disable()
    try:
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
