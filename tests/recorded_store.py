"""Stores that are recorded once and copied to each test: recording a long session takes longer than most tests do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import clew
from clew.config import Config
from clew.engine.engine import Engine


@contextmanager
def open_recorded(
    store: Path | str, record: Callable[[Engine], object], *, config: Config | None = None
) -> Iterator[Engine]:
    """Opens a new store that holds what the function records."""
    if isinstance(store, Path):
        keep_recorded(store, record)
    with clew.open(store, config=config or Config()) as engine:
        if not isinstance(store, Path):
            record(engine)
        yield engine


def keep_recorded(store: Path, record: Callable[[Engine], object]) -> None:
    """Makes a new file of a store that holds what the function records."""
    store.write_bytes(_recorded(record))


@cache
def _recorded(record: Callable[[Engine], object]) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "clew.db"
        with clew.open(file, config=Config()) as engine:
            record(engine)
        return file.read_bytes()
