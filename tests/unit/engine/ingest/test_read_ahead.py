"""What another process reads ahead is what is read here: nothing else is stored, whatever becomes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from clew.app import open
from clew.engine.engine import Engine
from clew.engine.ingest.read_ahead import ReadAhead, reading_ahead
from clew.errors import ClewError
from clew.retrieval.words import words_of
from tests.codec_examples import EXAMPLES
from tests.conftest import HandClock
from tests.lines import CONVERSATION, jsonl


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Files of every format, a torn one, one that is no transcript, and one of several batches."""
    many = [line | {"uuid": f"{at}-{line['uuid']}", "sessionId": "many"} for at in range(400) for line in CONVERSATION]
    (tmp_path / "many.jsonl").write_bytes(jsonl(many))
    (tmp_path / "torn.jsonl").write_bytes(jsonl([line | {"sessionId": "torn"} for line in CONVERSATION])[:-40])
    (tmp_path / "empty.jsonl").touch()
    for name, example in EXAMPLES.items():
        (tmp_path / name).write_bytes(example.file)
    return [str(tmp_path / name) for name in (*EXAMPLES, "empty.jsonl", "torn.jsonl", "many.jsonl")]


def stored(files: Sequence[str], ahead: ReadAhead | None) -> dict[str, Any]:
    """All that an import of these files leaves in a store."""
    with open(":memory:", clock=HandClock()) as engine:
        reports = []
        for path in files:
            try:
                reports += engine.import_file(path, project=False, repairs=False, ahead=ahead)
            except ClewError as error:
                reports.append(str(error))
        return {"reports": reports} | {info.key.id: kept(engine, info.key) for info in engine.infos()}


def kept(engine: Engine, key: Any) -> Any:
    words = words_of("login cookie session fails ferry harbor parse")
    found = [(one.word, one.total, one.numbers) for one in engine.store.find_words(key, words, 1000)]
    return list(engine.store.entries(key)), found


def none_known(_path: str) -> bool:
    return False


def test_what_is_stored_is_the_same(files: list[str]) -> None:
    with reading_ahead(files, "auto", is_known=none_known, least_bytes=1) as ahead:
        assert ahead is not None
        assert stored(files, ahead) == stored(files, None)


def killed(ahead: ReadAhead, _files: list[str]) -> None:
    ahead._process.kill()


def changed(_ahead: ReadAhead, files: list[str]) -> None:
    Path(files[-2]).write_bytes(jsonl(CONVERSATION[:2]))


@pytest.mark.parametrize("befalls", [killed, changed])
def test_what_was_not_read_ahead_to_its_end_is_read_here(
    files: list[str], befalls: Callable[[ReadAhead, list[str]], None]
) -> None:
    with reading_ahead(files, "auto", is_known=none_known, least_bytes=1) as ahead:
        assert ahead is not None
        befalls(ahead, files)
        assert stored(files[::-1], ahead) == stored(files[::-1], None)


def test_nothing_is_started_for_little_work_or_known_files(files: list[str]) -> None:
    for options in ({"is_known": none_known}, {"is_known": lambda _path: True, "least_bytes": 1}):
        with reading_ahead(files, "auto", **options) as ahead:
            assert ahead is None


def test_it_ends_with_the_import(files: list[str]) -> None:
    with reading_ahead(files, "auto", is_known=none_known, least_bytes=1) as ahead:
        assert ahead is not None
    with pytest.raises(ProcessLookupError):
        os.kill(ahead._process.pid, 0)
