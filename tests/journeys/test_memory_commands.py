"""What is remembered and forgotten on purpose, and what sessions of a folder left open."""

from __future__ import annotations

from pathlib import Path

from tests.journeys.program import Program
from tests.lines import jsonl, line


def session_file(folder: Path, id: str, *lines: dict[str, object], cwd: Path) -> Path:
    path = folder / f"{id}.jsonl"
    path.write_bytes(jsonl([one | {"sessionId": id, "cwd": str(cwd)} for one in lines]))
    return path


def pinned(program: Program, session: str) -> list[str]:
    return [one["text"] for one in program("pins", session, "--json").json["pins"]]


def test_what_is_remembered_reaches_every_later_session_until_it_is_forgotten(
    clew_program: Program, tmp_path: Path
) -> None:
    item = clew_program("remember", "The harbor office is in Split.", "--json").json["profile"][0]
    assert (item["id"], item["scope"], item["project"]) == ("p1", "user", "")
    clew_program("import", session_file(tmp_path, "later", line(1, "user", "Hello."), cwd=tmp_path))
    assert pinned(clew_program, "later") == ["The harbor office is in Split."]
    assert "The harbor office is in Split." in clew_program("profile", "show").out
    told = clew_program("forget", "p1").out
    assert pinned(clew_program, "later") == []
    assert told == ("p1 is forgotten; `clew remember 'The harbor office is in Split.' --kind custom` brings it back\n")
    assert clew_program("remember", "The harbor office is in Split.", "--kind", "custom").code == 0
    assert pinned(clew_program, "later") == ["The harbor office is in Split."]
    assert clew_program("forget", "p9").code == 3


def test_what_is_remembered_for_a_project_holds_there_and_against_what_holds_elsewhere(
    clew_program: Program, tmp_path: Path
) -> None:
    here, elsewhere = clew_program.folder, Path("/home/ana/elsewhere")
    clew_program("remember", "I prefer tabs over spaces.", "--kind", "preference")
    item = clew_program("remember", "I prefer spaces over tabs.", "--project", "--json").json["profile"][0]
    assert (item["scope"], item["project"]) == ("project", str(here.resolve()))
    clew_program("import", session_file(tmp_path, "a", line(1, "user", "Hello."), cwd=here / "src"))
    clew_program("import", session_file(tmp_path, "b", line(1, "user", "Hello."), cwd=elsewhere))
    assert pinned(clew_program, "a") == ["I prefer spaces over tabs."]
    assert pinned(clew_program, "b") == ["I prefer tabs over spaces."]
    assert f"only in {here.resolve()}" in clew_program("profile", "show").out
    clew_program("forget", item["id"])
    assert pinned(clew_program, "a") == ["I prefer tabs over spaces."]


def test_what_is_remembered_is_for_no_other_user(clew_program: Program, tmp_path: Path) -> None:
    file = session_file(tmp_path, "a", line(1, "user", "Hello."), cwd=tmp_path)
    clew_program("import", file, "--user", "ben")
    clew_program("remember", "The harbor office is in Split.", "--user", "ana")
    assert pinned(clew_program, "a") == []
    assert clew_program("forget", "p1", "--user", "ben").code == 3


def test_open_tells_what_sessions_of_this_folder_left_open(clew_program: Program, tmp_path: Path) -> None:
    run = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "pytest tests/test_berths.py"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "Exit code 1\n1 failed in 0.1s"}
    work = [
        line(1, "user", "Fix the berth prices."),
        line(2, "assistant", [run]),
        line(3, "user", [failed]),
        line(4, "assistant", [{"type": "text", "text": "The test fails. Shall I change the price table?"}]),
    ]
    talk = [line(1, "user", "Hello."), line(2, "assistant", [{"type": "text", "text": "Which harbor do you mean?"}])]
    clew_program("import", session_file(tmp_path, "here", *work, cwd=clew_program.folder / "src"))
    clew_program("import", session_file(tmp_path, "there", *talk, cwd=Path("/home/ana/another")))
    found = clew_program("open", "--json").json["open"]
    assert {(one["session"], one["message"], one["kind"]) for one in found} == {
        ("here", "m3", "open"),
        ("here", "m4", "open"),
    }
    shown = clew_program("open").out
    assert "here m3    failed, not seen to pass since: `pytest tests/test_berths.py`" in shown
    assert "here m4    the agent asks: Shall I change the price table?" in shown
    assert "there" not in shown
    other = clew_program("open", "--project", "another", "--json").json["open"]
    assert [one["text"] for one in other] == ["the agent asks: Which harbor do you mean?"]
    assert clew_program("open", "--project", "nowhere").out == "No session of that project is stored.\n"
    passed = {**failed, "is_error": False, "content": "9 passed in 0.1s"}
    mends = [line(11, "user", "Go on."), line(12, "assistant", [run]), line(13, "user", [passed])]
    clew_program("import", session_file(tmp_path, "later", *mends, cwd=clew_program.folder))
    assert [one["message"] for one in clew_program("open", "--json").json["open"] if one["session"] == "here"] == ["m4"]
