"""Every line of the state comes from a record and names it; what no record tells is not said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Message
from clew.units.file_lines import file_lines
from clew.units.state_lines import state_lines
from tests.unit.history.work_map.examples import edit_call, tool_call, work_map_of


def state(*messages: Message) -> list[str]:
    return state_lines(work_map_of(*messages))


def test_nothing_is_said_of_an_empty_session() -> None:
    assert state() == []


def test_edits_since_the_last_commit_are_told() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    found = state(*edit_call("/shop/a.py", "x", "y"), *commit, *edit_call("/shop/b.py", "x", "y"))
    assert found == [
        "branch main (m4)",
        "commits: 1a2b3c4 Trim the name (m4)",
        "no commit seen since the edits of: /shop/b.py",
        "no push seen",
    ]


def test_a_rebase_after_a_push_is_no_commit_that_was_not_pushed() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    push = tool_call("Bash", "   0a2b3c4..1a2b3c4  main -> main", command="git push")
    rebase = tool_call("Bash", "Successfully rebased and updated refs/heads/main.", command="git rebase origin/main")
    assert state(*commit, *push, *edit_call("/shop/b.py", "x", "y"), *rebase) == [
        "branch main (m2)",
        "pushed: main (m4)",
    ]


def test_to_dos_are_those_of_the_last_list() -> None:
    first = [{"content": "a", "status": "completed"}, {"content": "b", "status": "in_progress"}]
    found = state(*tool_call("TodoWrite", "ok", todos=first))
    assert found == ["to-dos (m2): [doing] b; done: a"]


def test_tasks_are_folded_over_the_session() -> None:
    found = state(
        *tool_call("TaskCreate", "Task #1 created", subject="parse"),
        *tool_call("TaskCreate", "Task #2 created", subject="print"),
        *tool_call("TaskUpdate", "Updated task #1", taskId="1", status="completed"),
    )
    assert found == ["to-dos (m6): [open] print; done: parse"]


def test_a_failure_that_was_fixed_is_no_longer_open() -> None:
    failed = tool_call("Bash", "FAILED tests/test_a.py::test_x - boom\n1 failed", command="pytest | tail -2")
    assert state(*failed) == [
        "failed, not seen to pass since (m2): `pytest` → FAILED tests/test_a.py::test_x - boom",
    ]
    assert state(*failed, *tool_call("Bash", "3 passed", command="pytest | tail -2")) == [
        "passed (m4): `pytest` → 3 passed"
    ]


def test_a_result_hidden_by_a_pipe_is_not_told_as_passed() -> None:
    assert state(*tool_call("Bash", "some line", command="make test | grep x")) == []


def test_a_log_that_shows_the_head_makes_no_commit() -> None:
    log = tool_call("Bash", "36567f3 Merge pull request #154", command="git log --oneline -5")
    assert "no commit seen in this session" in state(*edit_call("/shop/a.py", "x", "y"), *log)


def test_what_git_listed_is_told_until_the_next_commit() -> None:
    status = tool_call("Bash", " M a.py\n?? notes.md", command="git status --short")
    commit = tool_call("Bash", "[main 1a2b3c4] Trim the name", command="git commit -am x")
    assert "git status (m2): changed a.py; untracked notes.md" in state(*status)
    assert not any(line.startswith("git status") for line in state(*status, *commit))


def test_the_pull_request_that_was_looked_at_is_named() -> None:
    found = state(*tool_call("Bash", "title: x", command="gh pr view 158 --comments"))
    assert found == ["pull request looked at last: #158 (m2)"]


def test_a_check_that_passed_shows_counts_or_nothing() -> None:
    assert state(*tool_call("Bash", "ok  shop/cart  (cached)", command="go test ./...")) == [
        "passed (m2): `go test ./...`"
    ]
    assert state(*tool_call("Bash", "12 passed in 0.2s", command="pytest")) == [
        "passed (m2): `pytest` → 12 passed in 0.2s"
    ]


def test_checks_from_before_the_last_edit_say_so() -> None:
    passed = tool_call("Bash", "12 passed in 0.2s", command="pytest")
    edit = edit_call("/shop/a.py", "x", "y")
    assert "passed (m2): `pytest` → 12 passed in 0.2s; files were edited since" in state(*passed, *edit)
    assert "passed (m4): `pytest` → 12 passed in 0.2s" in state(*edit, *passed)
    notes = edit_call("/shop/notes.md", "x", "y")
    assert "passed (m2): `pytest` → 12 passed in 0.2s" in state(*passed, *notes)


def test_formatting_and_texts_for_others_are_no_checks() -> None:
    assert state(*tool_call("Bash", "", command="gofmt -w a.go")) == []
    assert (
        state(*tool_call("Bash", '{"id": 1}', command="gh api repos/a/b/issues -f body='run pytest, then make test'"))
        == []
    )


def test_a_program_that_ended_well_proves_nothing() -> None:
    assert state(*tool_call("Bash", "usage: x", command="python3 tool.py --help")) == []
    assert state(*tool_call("Bash", "", command="chmod +x run.sh")) == []


def test_the_widest_pass_since_the_last_edit_is_told_first_and_stands_for_narrower_ones() -> None:
    found = state(
        *edit_call("/shop/a.py", "x", "y"),
        *tool_call("Bash", "All checks passed!", command="ruff check ."),
        *tool_call("Bash", "9 passed in 1s", command="pytest"),
        *tool_call("Bash", "1 passed in 1s", command="pytest tests/test_a.py"),
        *tool_call("Bash", "2 passed in 1s", command="npx vitest run menu.test.ts"),
    )
    assert [line for line in found if line.startswith("passed")] == [
        "passed (m6): `pytest` → 9 passed in 1s",
        "passed (m4): `ruff check .` → All checks passed!",
        "passed (m10): `npx vitest run menu.test.ts` → 2 passed in 1s",
    ]


@pytest.mark.parametrize(
    "gone",
    [
        tool_call("Bash", "", command="rm /shop/old.py"),
        tool_call("Bash", "rm 'old.py'", command="git rm old.py"),
        tool_call("apply_patch", "Success.", input="*** Begin Patch\n*** Delete File: old.py\n*** End Patch"),
    ],
)
def test_files_that_were_deleted_are_told_until_they_are_committed(gone: list[Message]) -> None:
    work = work_map_of(*edit_call("/shop/lib/a.py", "x", "y"), *gone, cwd="/shop")
    assert any(line.endswith("old.py (m4)") and line.startswith("deleted, no") for line in state_lines(work))
    assert any("old.py (deleted, m4)" in line for line in file_lines(work, {}, chars=500))
    commit = tool_call("Bash", "[main 1a2b3c4] Tidy up", command="git commit -am x")
    assert not any("deleted" in line for line in state(*edit_call("/shop/lib/a.py", "x", "y"), *gone, *commit))


def test_what_was_made_and_deleted_again_is_nothing_to_commit() -> None:
    made = tool_call("Write", "File created successfully", file_path="/shop/try.py", content="x")
    found = state(*made, *tool_call("Bash", "", command="rm /shop/try.py"))
    assert not any("try.py" in line for line in found)


def test_a_file_deleted_outside_of_the_folder_that_was_worked_in_has_its_line() -> None:
    work = work_map_of(*edit_call("/shop/lib/a.py", "x", "y"), *tool_call("Bash", "", command="rm /shop/NOTES.md"))
    assert "/shop/NOTES.md (deleted, m4)" in file_lines(replace(work, root="/shop/lib"), {}, chars=500)


def test_a_task_stands_for_no_other_task_that_it_may_not_run() -> None:
    ok = "ok  \tapp/till\t0.2s"
    integration = tool_call("Bash", ok, command="mise run test:integration")
    told = state(*integration, *tool_call("Bash", ok, command="mise run test"))
    assert told == ["passed (m4): `mise run test`", "passed (m2): `mise run test:integration`"]
    assert state(*integration, *tool_call("Bash", ok, command="mise run test:ci")) == [
        "passed (m4): `mise run test:ci`"
    ]


def test_what_lay_in_a_folder_for_trials_is_nothing_to_commit() -> None:
    assert state(*tool_call("Bash", "", command="rm /tmp/try.txt"), *edit_call("/tmp/try.py", "x", "y")) == []
