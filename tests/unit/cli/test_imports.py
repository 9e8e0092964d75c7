"""The command import, in this process: what it says of files that hold nothing, and of files nobody thought of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clew.cli.app import app
from clew.engine.engine import Engine
from clew.errors import Interrupted, StorageError
from tests.lines import CONVERSATION, jsonl


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "binary.jsonl").write_bytes(b"\x7fELF" + bytes(range(256)))
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing" / "package.json").write_text("{}")
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["import", *arguments, "--store", "clew.db"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gone.jsonl"], 3, "no file gone.jsonl"),
        (["nothing"], 3, "no session in nothing (1 file looked at"),
        (["empty.jsonl"], 2, "empty.jsonl is empty"),
        (["binary.jsonl"], 2, "binary.jsonl is binary"),
        (["session.jsonl", "--format", "codex"], 2, "it looks like claude-code"),
        (["session.jsonl#x"], 3, "clew import session.jsonl stores every session in it"),
    ],
)
def test_a_file_that_gives_nothing_is_one_line_and_stores_nothing(arguments: list[str], code: int, said: str) -> None:
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert said in done.stderr
    assert done.stderr.count("\n") <= 2
    assert json.loads(CliRunner().invoke(app, ["sessions", "--json", "--store", "clew.db"]).stdout)["sessions"] == []


def test_an_error_nobody_thought_of_costs_one_file_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_bytes(jsonl(CONVERSATION))
    whole = Engine.import_file

    def import_file(engine: Engine, path: str, **options: Any) -> Any:
        if "broken" in path:
            raise KeyError("nobody thought of this")
        return whole(engine, path, **options)

    monkeypatch.setattr(Engine, "import_file", import_file)
    done = run(".", "--json")
    assert (done.exit_code, len(json.loads(done.stdout)["imported"])) == (2, 1)
    assert "broken.jsonl cannot be read (KeyError" in done.stderr


def test_a_store_that_fails_stops_the_batch_and_what_was_done_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, calls = Engine.import_file, iter([True, False])

    def import_file(engine: Engine, path: str, **options: Any) -> Any:
        if next(calls):
            return whole(engine, path, **options)
        raise StorageError("no space left")

    monkeypatch.setattr(Engine, "import_file", import_file)
    done = run("session.jsonl", "empty.jsonl", "binary.jsonl")
    assert isinstance(done.exception, StorageError)
    assert "5 new of 5 messages" in done.stdout


def test_an_import_that_is_interrupted_says_how_far_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("talks/a.jsonl", "talks/b.jsonl"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_bytes(jsonl(CONVERSATION).replace(b'"sessionId":"', b'"sessionId":"' + name[6:7].encode()))
    read, seen = Engine.import_file, list[str]()

    def interrupted(self: Engine, path: Any, **options: Any) -> Any:
        seen.append(str(path))
        if len(seen) == 2:
            raise KeyboardInterrupt
        return read(self, path, **options)

    monkeypatch.setattr(Engine, "import_file", interrupted)
    done = run("talks")
    assert isinstance(done.exception, Interrupted)
    assert str(done.exception) == "interrupted; 1 of 2 files are stored; the same command goes on from there"
    assert "latest is \n" not in done.stdout
    assert run("talks").exit_code == 0
