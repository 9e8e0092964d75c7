"""What was read again after a compaction."""

from __future__ import annotations

from pathlib import Path

from clew.audit.compactions import compacted_spans
from clew.audit.read_again import read_again
from clew.audit.recorded_session import read_sessions
from tests.audited_session import OTHER, ROOT, Lines, numbered


def found(lines: Lines, folder: Path) -> list[tuple[str, int, int, int, int]]:
    (span,) = compacted_spans(read_sessions(str(lines.write(folder / "s.jsonl"))).sessions[0])
    again = read_again(span, lambda text: 100 * len(text.split("\n")), root=ROOT)
    return [(one.subject, one.earlier[0][0], one.number, len(one.lines), one.of) for one in again]


def begun() -> Lines:
    lines = Lines()
    lines.says("Go on.")
    lines.runs("Read", numbered(OTHER), file_path=f"{ROOT}/notes.md")
    lines.runs("Bash", OTHER, command="git diff notes.md")
    lines.runs("Bash", OTHER, command="pytest -q")
    lines.compacts("Notes.")
    return lines


def test_lines_that_were_read_before_count_once(tmp_path: Path) -> None:
    lines = begun()
    lines.runs("Read", numbered(f"{OTHER}\nnew\nand newer"), file_path=f"{ROOT}/notes.md")
    lines.runs("Read", numbered(OTHER), file_path="notes.md")
    lines.runs("Bash", OTHER, command="git diff notes.md")
    assert found(lines, tmp_path) == [("file notes.md", 3, 10, 8, 10), ("command git diff notes.md", 5, 14, 8, 8)]


def test_single_lines_and_other_files_are_no_repetition(tmp_path: Path) -> None:
    lines = begun()
    rows = OTHER.split("\n")
    lines.runs("Read", numbered("\n".join([*rows[:3], "something else", *rows[5:7]])), file_path=f"{ROOT}/notes.md")
    lines.runs("Read", numbered(OTHER), file_path=f"{ROOT}/other.md")
    twice = "\n".join([*rows[:7], "something else", *rows[:7]])
    lines.runs("Read", numbered(twice), file_path=f"{ROOT}/notes.md")
    assert found(lines, tmp_path) == []


def test_a_test_is_run_again_on_purpose(tmp_path: Path) -> None:
    lines = begun()
    lines.runs("Bash", OTHER, command="pytest -q")
    lines.runs("Bash", OTHER, command="git diff --stat")
    lines.runs("Bash", OTHER, command="git diff --stat")
    assert found(lines, tmp_path) == []


def test_a_file_of_another_revision_is_another_file(tmp_path: Path) -> None:
    lines = begun()
    lines.runs("Bash", OTHER, command="git show origin/main:notes.md")
    assert found(lines, tmp_path) == []
