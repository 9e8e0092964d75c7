"""`clew audit` from the outside: a folder of an assistant, and all that may be wrong with one."""

from __future__ import annotations

import os
from pathlib import Path

from tests.audited_session import shop
from tests.journeys.program import Program
from tests.lines import jsonl


def test_a_folder_with_much_that_cannot_be_read_still_gives_its_report(clew_program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "assistant"
    shop().write(folder / "projects" / "s1.jsonl")
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "picture.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(4_000))
    (folder / "settings.json").write_text('{"theme": "dark"}')
    (folder / "gone.jsonl").symlink_to(folder / "nowhere.jsonl")
    (folder / "loop").symlink_to(folder)
    huge = [*shop().lines, shop().lines[0] | {"uuid": "huge", "message": {"role": "user", "content": "x" * 3_000_000}}]
    lines = [line | {"sessionId": "s2", "uuid": f"2-{line['uuid']}"} for line in huge]
    (folder / "s2.jsonl").write_bytes(jsonl(lines) + b'{"type": "user", "mess')
    os.mkfifo(folder / "pipe.jsonl")
    done = clew_program("audit", folder, "--html", tmp_path / "audit.html")
    assert done.code == 0, done.err
    assert "2 sessions" in done.out
    assert "0 of 4 needed facts lost" in done.out
    assert "2 pieces, 0 in the summary, 0 kept by the client, 2 read again first" in done.out
    assert (tmp_path / "audit.html").read_text().startswith("<!doctype html>")
    assert not clew_program.store.exists()


def test_a_hidden_summary_is_unknown_and_a_page_that_cannot_be_written_is_one_line(
    clew_program: Program, tmp_path: Path
) -> None:
    lines = shop()
    lines.lines = [line for line in lines.lines if not line.get("isCompactSummary")]
    path = lines.write(tmp_path / "s1.jsonl")
    done = clew_program("audit", path)
    assert "what was lost is unknown, as no summary can be read" in done.out
    assert "not in the summary: unknown, as no summary can be read" in done.out
    done = clew_program("audit", path, "--html", tmp_path / "nowhere" / "x.html")
    assert done.code != 0
    assert "choose another place" in done.err
    assert "--out" not in done.err


def test_a_path_that_gives_nothing_is_one_line(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, said in ((tmp_path / "none", "no file"), (tmp_path / "empty", "no session in")):
        done = clew_program("audit", path)
        assert (done.code, done.out) == (3, "")
        assert done.err.startswith("clew: ")
        assert said in done.err
        assert done.err.count("\n") == 1
        assert ("no file" in done.err) is not ("no session" in done.err)
