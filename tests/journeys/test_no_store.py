"""A machine on which nothing is stored yet, and paths at which no store can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.journeys.program import Program

#: What only reads, or needs something that is stored, and its exit code.
READING = (
    ("sessions", 0),
    ("search hello", 0),
    ("search hello --session latest", 3),
    ("health", 3),
    ("show", 3),
    ("show x1", 3),
    ("show latest --as story", 3),
    ("drift latest", 3),
    ("pins latest", 3),
    ("pin latest words", 3),
    ("pack latest --budget 8000", 3),
    ("compact latest", 3),
    ("export latest --to clew", 3),
    ("handback latest --to claude-code", 3),
    ("profile show", 0),
    ("open", 0),
    ("knowledge list", 0),
    ("token list", 0),
    ("purge --all --yes", 0),
    ("rebuild", 0),
    ("doctor", 0),
)


@pytest.mark.parametrize(("command", "code"), READING)
def test_what_only_reads_makes_no_store(tmp_path: Path, command: str, code: int) -> None:
    program = Program(tmp_path)
    done = program(*command.split())
    assert (done.code, program.store.exists()) == (code, False), done.err
    assert code == 0 or "none is stored yet; `clew import FILE` stores one" in done.err


def test_a_mistyped_folder_is_still_told(tmp_path: Path) -> None:
    done = Program(tmp_path)("sessions", "--store", tmp_path / "nowhere" / "clew.db")
    assert (done.code, "there is no folder for the store" in done.err) == (3, True)


def test_what_cannot_be_a_store_is_told_in_one_line_and_left_alone(tmp_path: Path) -> None:
    program, notes = Program(tmp_path), tmp_path / "notes.txt"
    notes.write_text("Ferries leave at nine.\n")
    another = "name another store with --store or CLEW_STORE"
    for command in ("sessions", "import"):
        done = program(command, *([notes] if command == "import" else []), "--store", notes)
        assert another in done.err
        assert "--repair" not in done.err
    assert program("sessions", "--store", tmp_path).err == (
        f"clew: {tmp_path} is a folder, and a store is a file; {another}\n"
    )
    assert notes.read_text() == "Ferries leave at nine.\n"
