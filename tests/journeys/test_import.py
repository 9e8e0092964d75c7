"""Folders in: what an assistant wrote is found and stored, the rest is passed over, and one bad file stops nothing."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.journeys.program import Program
from tests.lines import CONVERSATION, SESSION, jsonl


def session(name: str, year: int = 2026) -> bytes:
    return jsonl([one | {"sessionId": name, "timestamp": f"{year}-03-01T10:00:00Z"} for one in CONVERSATION])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "assistant"
    (place / "projects").mkdir(parents=True)
    (place / "projects" / "loop").symlink_to(place)
    (place / "projects" / "a.jsonl").write_bytes(session("newest", 2026))
    (place / "projects" / "b.jsonl").write_bytes(session("older", 2025))
    (place / "projects" / "c.jsonl.gz").write_bytes(gzip.compress(session("small", 2024)))
    chats = [f"# aider chat started at 2023-03-0{day} 05:06:07\n\n#### day {day}  \n\nyes\n" for day in (1, 2)]
    (place / ".aider.chat.history.md").write_text("\n".join(chats))
    (place / "settings.json").write_text('{"theme": "dark"}')
    (place / "README.md").write_text("# Nothing was said here\n")
    (place / "notes.txt").write_text("words")
    (place / "empty.jsonl").touch()
    (place / "silent.jsonl").write_bytes(jsonl([{"type": "summary", "summary": "x", "leafUuid": "l"}]))
    return place


def test_a_folder_is_walked_and_the_newest_session_is_the_latest(clew_program: Program, folder: Path) -> None:
    done = clew_program("import", folder, "--json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    imported = [(one["format"], one["messages"]) for one in found["imported"]]
    assert imported == [("aider", 2), ("aider", 2), *[("claude-code", 5)] * 3]
    assert [(Path(one["path"]).name, one["format"]) for one in found["skipped"]] == [("silent.jsonl", "claude-code")]
    assert (found["failed"], found["other_files"]) == ([], 4)
    assert clew_program("show", "latest", "--json").json["session"] == "newest"


def test_one_bad_file_stops_no_other_and_is_told_by_the_exit_code(clew_program: Program, folder: Path) -> None:
    (folder / "projects" / "bad.jsonl.gz").write_bytes(b"\x1f\x8b\x08" + bytes(7) + b"\xff" * 40)
    done = clew_program("import", "assistant", COLUMNS="120")
    assert done.code == 2
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[0] == ["path", "format", "session", "messages", "new", "skipped"]
    assert ["projects/a.jsonl", "claude-code", "newest", "5", "5", "0"] in rows
    assert rows[-1] == ["5", "sessions;", "latest", "is", "newest"]
    bad, silent, others = done.err.splitlines()
    assert bad.startswith("clew: assistant/projects/bad.jsonl.gz is damaged")
    assert silent.startswith("skipped: assistant/silent.jsonl looks like claude-code")
    assert others == "passed over: 4 files of other kinds"


def test_broken_files_of_a_folder_are_named(clew_program: Program, folder: Path) -> None:
    (folder / "torn.jsonl").write_bytes(session("torn")[:40])
    (folder / "half.json").write_text('{\n  "messages": [\n    {"role": "us')
    (folder / "noise.jsonl").write_bytes(bytes(range(256)) * 9)
    done = clew_program("import", "assistant")
    broken = [line for line in done.err.splitlines() if "broken" in line or "binary" in line]
    names = ("half.json", "noise.jsonl", "torn.jsonl")
    assert [line.split()[1] for line in broken] == [f"assistant/{name}" for name in names]
    assert done.err.splitlines()[-1] == "passed over: 4 files of other kinds"
    assert clew_program("audit", "assistant").err.count("broken") == 2


def test_one_count_of_repairs_is_told_by_import_and_export(clew_program: Program, tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}
    said = [{"role": "assistant", "content": [thought, call]}, {"role": "assistant", "content": [thought]}]
    said = [{"role": "user", "content": "go"}, *said, {"role": "user", "content": "and?"}]
    (tmp_path / "talk.json").write_text(json.dumps({"messages": said, "model": "claude-sonnet-5"}))
    done = clew_program("import", "talk.json", "--format", "anthropic", "--session", "s")
    told = done.out.partition("(anthropic), ")[2].split(" when ")[0]
    exported = clew_program("export", "s", "--to", "anthropic", "--out", "out.json").err
    assert told.endswith(("repairs of the history", "repair of the history"))
    assert told in exported
    found = clew_program("check", "s", "--for", "anthropic").out.splitlines()[0]
    assert found.startswith("A1 at m2 (t1): ")


def test_many_files_show_their_progress_on_a_terminal(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for at in range(20):
        (tmp_path / "many" / f"{at}.jsonl").write_bytes(session(f"s{at}"))
    screen, terminal = os.openpty()
    command = [*clew_program.command, "import", "many"]
    env = clew_program.env | {"TERM": "xterm", "COLUMNS": "100"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=terminal, env=env, cwd=tmp_path, check=False)
    os.close(terminal)
    drawn = os.read(screen, 1 << 16).decode()
    os.close(screen)
    assert done.returncode == 0
    assert "20 of 20" in drawn
    assert done.stdout.decode().count("claude-code") == 20


def test_a_folder_is_followed_with_the_files_that_come(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "live").mkdir()
    (tmp_path / "live" / "a.jsonl").write_bytes(session("first"))
    command = [*clew_program.command, "import", "live", "--follow"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=clew_program.env, cwd=tmp_path) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith(b"first: 5 new")
            (tmp_path / "live" / "b.jsonl").write_bytes(session("second"))
            assert process.stdout.readline().startswith(b"second: 5 new")
        finally:
            process.terminate()


def test_what_is_imported_without_waiting_is_found_and_opened(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "one.jsonl").write_bytes(jsonl(CONVERSATION))
    [report] = clew_program("import", "sessions", "--no-wait", "--json").json["imported"]
    assert (report["repairs"], report["new_messages"]) == (None, 5)
    assert clew_program("search", "session cookie", "--json").json["results"][0]["messages"][0] == "m4"
    assert clew_program("show", SESSION, "x1").code == 0
    [report] = clew_program("import", "sessions", "--json").json["imported"]
    assert (report["repairs"], report["new_messages"]) == (0, 0)
