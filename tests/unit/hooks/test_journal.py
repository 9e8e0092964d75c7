from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.hooks import journal


def test_a_line_says_when_who_and_what() -> None:
    journal.log("hook claude-code SessionStart", "first\nthing")
    journal.log("statusline", "second " + "x" * 5_000)
    lines = Path(journal.log_path()).read_text().splitlines()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ hook claude-code SessionStart: first thing", lines[0])
    assert len(lines) == 2
    assert len(lines[1]) < 1_100
    assert Path(journal.log_path()).stat().st_mode & 0o777 == 0o600


def test_the_log_never_grows_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "_MOST_BYTES", 300)
    for number in range(20):
        journal.log("hook", f"line {number}")
    kept = [Path(journal.log_path()), Path(f"{journal.log_path()}.old")]
    assert sum(path.stat().st_size for path in kept if path.exists()) < 800


def test_where_nothing_can_be_written_nothing_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    journal.log("hook", "lost")
