"""Rows of files: one for each file, however it is spoken of, and no more than are useful."""

from __future__ import annotations

import pytest

from clew.history.work_map import file_rows
from tests.builders import says
from tests.unit.history.work_map.examples import edit_call, file_facts, tool_call, work_map_of


def test_ways_to_speak_of_a_file_meet_in_one_row() -> None:
    work = work_map_of(
        *tool_call("Grep", "src/a.py:3:def run_all():", pattern="run_all"),
        *tool_call("Read", "def run_all():", file_path="/w/app/src/a.py"),
        says("I will change a.py next"),
    )
    assert [facts.path for facts in work.files] == ["/w/app/src/a.py"]
    assert (file_facts(work, "/w/app/src/a.py").seen, file_facts(work, "/w/app/src/a.py").line) == (2, 3)


def test_of_two_files_of_one_name_the_one_last_worked_on_is_meant() -> None:
    work = work_map_of(
        *tool_call("Read", "x", file_path="/w/a/index.ts"),
        *tool_call("Read", "x", file_path="/w/b/index.ts"),
        *tool_call("Read", "x", file_path="/w/a/index.ts"),
        says("index.ts needs a fix"),
    )
    assert (file_facts(work, "/w/a/index.ts").seen, file_facts(work, "/w/b/index.ts").seen) == (1, 0)


def test_what_was_changed_outweighs_what_was_read_and_what_was_seen() -> None:
    work = work_map_of(
        *tool_call("Bash", "seen.py\n", command="find . -name '*.py'"),
        *tool_call("Read", "x", file_path="read.py"),
        *edit_call("edited.py", "x", "y"),
    )
    assert [facts.path for facts in work.files] == ["edited.py", "read.py", "seen.py"]


def test_files_outside_the_work_are_left_out() -> None:
    assert work_map_of(*tool_call("Bash", "node_modules/x/index.js\n.git/config.lock", command="ls -R")).files == ()


def test_the_least_useful_files_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_rows, "MAX_FILES", 5)
    monkeypatch.setattr(file_rows, "FILES_SLACK", 2)
    listing = "\n".join(f"src/f{n}.py" for n in range(20))
    work = work_map_of(*edit_call("/w/a.py", "x", "y"), *tool_call("Bash", listing, command="find src"))
    assert len(work.files) == 5
    assert work.files[0].path == "/w/a.py"


def test_names_kept_with_a_file_are_bounded() -> None:
    text = "\n".join(f"name_{n} = {n}" for n in range(500))
    work = work_map_of(
        *tool_call("Read", text, file_path="a.py"), *tool_call("Read", text.replace("name", "other"), file_path="a.py")
    )
    assert len(file_facts(work, "a.py").names) <= 2 * file_rows.MAX_NAMES


def test_a_short_path_stands_for_the_file_that_was_changed() -> None:
    work = work_map_of(
        *edit_call("/w/src/a.py", "x", "y"),
        says("See /other/src/a.py as well."),
        *edit_call("src/a.py", "y", "z"),
    )
    assert file_facts(work, "/w/src/a.py").edits == 2


def test_addresses_and_shortened_paths_are_no_files() -> None:
    printed = "harbor/shop.git\n .../cart/integration/price_test.go | 4 +\n src/cart.py | 2 +"
    work = work_map_of(*tool_call("Bash", printed, command="git pull --stat"))
    assert [facts.path for facts in work.files] == ["src/cart.py"]


def test_a_file_that_was_spoken_of_by_its_name_is_the_one_that_is_found() -> None:
    work = work_map_of(says("fix main.go"), *tool_call("Bash", "cmd/shop/main.go:3: x", command="grep -rn x"))
    assert [facts.path for facts in work.files] == ["cmd/shop/main.go"]
    listed = tool_call("Bash", "main.go\ncart.go", command="ls")
    found = work_map_of(*listed, *tool_call("Read", "x", file_path="cmd/shop/main.go"))
    assert {facts.path for facts in found.files} == {"main.go", "cart.go", "cmd/shop/main.go"}


def test_what_a_client_keeps_for_itself_does_not_move_the_root() -> None:
    plan = tool_call("Write", "ok", file_path="/home/ann/.claude/plans/shop.md", content="# Plan")
    work = work_map_of(*plan, *edit_call("/home/ann/shop/src/a.py", "x", "y"))
    assert work.root == "/home/ann/shop"
