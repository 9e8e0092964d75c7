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
