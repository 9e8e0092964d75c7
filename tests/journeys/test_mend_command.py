"""A summary is mended on a file or a stored session, as a person or a script does it."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread
from typing import Any

from tests.journeys.program import Program
from tests.lines import SESSION, jsonl, line, result

SUMMARY = "Summary: the login sets its cookie now. " + "The office asked for it and tries it every day. " * 60


def bash(number: int, command: str) -> dict[str, Any]:
    used = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    return line(number, "assistant", [used])


BEFORE = [
    line(1, "user", "Set the cookie of the login."),
    bash(2, "git commit -am cookie"),
    result(3, "t2", "[ana/login 1a2b3c4] Set the cookie"),
]


def test_a_file_is_mended_without_storing_it(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl([*BEFORE, line(4, "user", SUMMARY, isCompactSummary=True)]))
    (tmp_path / "summary.txt").write_text(SUMMARY)
    plain = clew_program("mend", "session.jsonl")
    assert plain.out.startswith("Missing from the summary above, by the session's records (`clew show ")
    assert "- branch ana/login (m3)\n" in plain.out
    (tmp_path / "session.jsonl").write_bytes(jsonl(BEFORE))
    given = clew_program("mend", "session.jsonl", "--summary", "summary.txt", "--json").json
    assert given["session"] == SESSION
    assert given["items"] == ["m3"]
    assert given["text"] + "\n" == plain.out
    assert clew_program("mend", "session.jsonl", "--summary", "-", "--budget", "3", stdin=SUMMARY.encode()).out == ""
    assert not clew_program.store.exists()


def test_a_brief_summary_may_come_from_a_pipe(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(BEFORE))
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=(tmp_path / "pipe").write_text, args=("All done.",))
    writer.start()
    done = clew_program("mend", "session.jsonl", "--summary", "pipe")
    writer.join()
    assert "- branch ana/login (m3)\n" in done.out


def test_what_is_missing_is_said_in_one_line(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "session.jsonl").write_bytes(jsonl(BEFORE))
    none = clew_program("mend", "session.jsonl")
    assert (none.code, none.out) == (3, "")
    assert none.err == f"clew: session {SESSION} has no summary of its client's; give one with --summary FILE\n"
    absent = clew_program("mend", "session.jsonl", "--summary", "nowhere.txt")
    assert (absent.code, absent.err) == (3, "clew: no file nowhere.txt; check the path\n")
    assert clew_program("mend", "session.jsonl", "--summary", "-", "--budget", "0", stdin=b"x").code == 2
