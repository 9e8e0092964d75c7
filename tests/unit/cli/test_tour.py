from __future__ import annotations

import json
import os
from pathlib import Path

from typer.testing import CliRunner

from clew.cli.app import app, program
from clew.cli.tour import _STOPS, Stop, stops


def test_a_stop_shows_the_first_lines_and_counts_the_rest() -> None:
    stop = Stop("All of them:", "clew sessions", 0, "one\n\nthree\nfour")
    assert stop.text(lines=3) == "All of them:\n$ clew sessions\n  one\n\n  three\n  … 1 more line\n"
    assert stop.text(lines=2).endswith("  … 2 more lines\n")
    assert stop.text(lines=4).endswith("  four\n")


def test_the_tour_leaves_the_process_as_it_was_and_its_files_can_be_had(tmp_path: Path) -> None:
    before = dict(os.environ), Path.cwd()
    first = next(iter(stops(program())))
    assert (first.exit_code, first.command) == (0, "clew import harbor.jsonl")
    assert "376 new of 376 messages" in first.output
    assert (dict(os.environ), Path.cwd()) == before
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "tour"), "--json"])
    files = [tmp_path / "tour" / name for name in ("harbor.jsonl", "torn.jsonl")]
    assert json.loads(done.stdout)["files"] == [str(path) for path in files]
    needed = {word for _, command in _STOPS for word in command.split() if word.endswith((".jsonl", ".json"))}
    made = {"mended.json", "request.json"}  # by commands of the tour
    assert needed - made == {path.name for path in (tmp_path / "tour").iterdir()}
