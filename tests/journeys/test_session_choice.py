"""Which sessions a command means: the newest of the working folder, those of a project or a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.journeys.program import Program
from tests.lines import CONVERSATION, jsonl


@pytest.fixture
def program(clew_program: Program, tmp_path: Path) -> Program:
    """Two sessions: one of the folder that commands run in, and a newer one of another."""
    for name, folder, day in (("here", str(clew_program.folder), "04"), ("other", "/srv/quay", "05")):
        lines = json.loads(json.dumps(CONVERSATION))
        for line in lines:
            line |= {"sessionId": name, "cwd": folder, "timestamp": f"2031-05-{day}T10:00:00Z"}
        (tmp_path / f"{name}.jsonl").write_bytes(jsonl(lines))
        clew_program.keep(tmp_path / f"{name}.jsonl")
    return clew_program


def listed(program: Program, *options: str) -> list[str]:
    return [one["id"] for one in program("sessions", "--json", *options).json["sessions"]]


def test_without_a_source_the_newest_session_of_the_folder_is_meant(program: Program) -> None:
    assert listed(program)[0] == "other"
    assert program("show", "--json").json["session"] == "here"
    assert program("health", "--json").json == program("health", "here", "--json").json


def test_an_id_without_a_source_is_one_of_the_newest_session_of_the_folder(program: Program) -> None:
    assert program("show", "x1", "m2", "--json").json == program("show", "here", "x1", "m2", "--json").json
    assert program("show", "m999").code == program("show", "here", "m999").code == 3


def test_a_folder_without_sessions_is_told(clew_program: Program, tmp_path: Path) -> None:
    (tmp_path / "away.jsonl").write_bytes(jsonl([line | {"cwd": "/srv/quay"} for line in CONVERSATION]))
    clew_program.keep(tmp_path / "away.jsonl")
    done = clew_program("health")
    assert done.code == 3
    assert "name one, or say latest" in done.err


def test_sessions_are_listed_by_project_time_and_number(program: Program) -> None:
    assert listed(program, "--limit", "1") == ["other"]
    assert listed(program, "--project", "quay") == listed(program, "--project", "srv/quay") == ["other"]
    assert listed(program, "--project", "uay") == []
    assert sorted(listed(program, "--since", "1d")) == ["here", "other"]
    assert listed(program, "--since", "2999-01-01") == []
    assert program("sessions", "--since", "2999-01-01").out == "No session is of that project or time.\n"
    wrong = program("sessions", "--since", "soon")
    assert (wrong.code, "--since soon: give a day" in wrong.err) == (2, True)


def test_a_folder_import_finds_trajectories(clew_program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    said = (("user", "Fix the winch.", "observation"), ("assistant", "Done.", "action"))
    steps = [{"role": r, "content": text, "agent": "main", "message_type": kind} for r, text, kind in said]
    (folder / "winch.traj").write_text(json.dumps({"history": steps, "trajectory": [], "info": {}}))
    assert [one["format"] for one in clew_program("import", folder, "--json").json["imported"]] == ["swe-agent"]
