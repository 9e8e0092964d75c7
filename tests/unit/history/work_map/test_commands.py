"""The last result of each command and test."""

from __future__ import annotations

import pytest

from clew.domain import Status
from clew.history.work_map.view import CommandFacts
from tests.unit.history.work_map.examples import tool_call, work_map_of


def test_the_last_result_of_a_command_counts() -> None:
    work = work_map_of(
        *tool_call("Bash", "Exit code 1\nerror: no rule", Status.FAILED, command="cd /w && make build 2>&1 | tail -5"),
        *tool_call("Bash", "built", command="make build"),
    )
    assert work.commands == (
        CommandFacts(command="make build", at=4, runs=2, ok=True, exit_code=None, line="built", is_check=True),
    )


@pytest.mark.parametrize(
    ("command", "text", "failing"),
    [
        ("pytest", "FAILED tests/test_a.py::test_x - boom\n1 failed", ("tests/test_a.py::test_x",)),
        ("go test ./...", "--- FAIL: TestRun (0.01s)\nFAIL", ("TestRun",)),
        ("cargo test", "test store::opens ... FAILED\ntest result: FAILED", ("store::opens",)),
        ("bun test", "(fail) store > opens [1.2ms]\n 1 fail", ("store > opens",)),
        ("npx jest", "  ✕ opens the store (12 ms)", ("opens the store",)),
    ],
)
def test_failing_tests_are_named(command: str, text: str, failing: tuple[str, ...]) -> None:
    work = work_map_of(*tool_call("Bash", text, command=command + " | tail -40"))
    assert [(facts.is_test, facts.ok, facts.failing) for facts in work.commands] == [(True, False, failing)]


def test_a_command_in_the_background_ends_with_its_last_output() -> None:
    work = work_map_of(
        *tool_call("exec_command", "Process running with session ID 42\n", cmd="npm test"),
        *tool_call("write_stdin", "Process exited with code 0\nOutput:\n3 passed", session_id=42, chars=""),
    )
    assert [(facts.command, facts.ok, facts.line) for facts in work.commands] == [("npm test", True, "3 passed")]


def test_a_failed_check_is_open_until_a_run_shows_that_it_passes() -> None:
    failed = tool_call("Bash", "--- FAIL: TestRun\nFAIL", command="go test ./store/... 2>&1 | tail -5")
    passed = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store/... 2>&1 | tail -5")
    other = tool_call("Bash", "ok  \tapp/web\t0.1s", command="go test ./web/...")
    assert [one.failures for one in work_map_of(*failed).open_failures] == [("--- FAIL: TestRun",)]
    assert len(work_map_of(*failed, *other).open_failures) == 1
    assert work_map_of(*failed, *passed).open_failures == ()


def test_a_narrower_run_closes_only_what_it_covers() -> None:
    failed = tool_call("Bash", "--- FAIL: TestRun\n--- FAIL: TestStop\nFAIL", command="go test ./... | tail -5")
    one = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store -run TestRun")
    both = tool_call("Bash", "ok  \tapp/store\t0.1s", command="go test ./store -run Test")
    assert len(work_map_of(*failed, *one).open_failures) == 1
    assert work_map_of(*failed, *both).open_failures == ()


def test_a_run_of_all_tests_closes_what_failed_before() -> None:
    failed = tool_call("Bash", "1 failed", command="pytest tests/test_a.py | tail -1")
    assert work_map_of(*failed, *tool_call("Bash", "9 passed", command="make test")).open_failures == ()


def test_a_result_that_nobody_knows_closes_nothing() -> None:
    failed = tool_call("Bash", "1 failed", command="pytest tests/test_a.py | tail -1")
    hidden = tool_call("Bash", "", command="pytest tests/test_a.py | grep TOTAL")
    assert len(work_map_of(*failed, *hidden).open_failures) == 1


def test_a_command_in_the_background_is_running_until_it_is_seen_to_end() -> None:
    started = tool_call("exec_command", "Process running with session ID 42\n", cmd="npm run dev")
    assert work_map_of(*started).running == (("42", "npm run dev", 2),)
