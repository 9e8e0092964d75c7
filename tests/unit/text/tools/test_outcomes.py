"""How an action ended is read from the output of its tool."""

from __future__ import annotations

import pytest

from clew.domain import Output, Status
from clew.text.tools.actions import Action, ActionKind, RunResult, TextEdit
from clew.text.tools.calls import call_actions
from clew.text.tools.outcomes import read_outcome
from tests.builders import call, output


def run(command: str = "make") -> Action:
    return Action(kind=ActionKind.RUN, command=command)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Exit code 2\nmake: *** broken", (RunResult.FAILED, 2, "make: *** broken")),
        ("Process exited with code 0\nOutput:\nall good", (RunResult.PASSED, 0, "all good")),
        ("built\n<exited with exit code 0>", (RunResult.PASSED, 0, "built")),
        ('{"output": "x", "metadata": {"exit_code": 1}}', (RunResult.FAILED, 1, "exit code 1")),
        ("fine", (RunResult.UNKNOWN, None, "fine")),
    ],
)
def test_how_a_command_ended_is_read_from_its_output(text: str, wanted: tuple[RunResult, int | None, str]) -> None:
    assert read_outcome(run(), output("c", text))[:3] == wanted


def test_a_failure_is_told_by_the_last_line_that_speaks_of_one() -> None:
    text = "E   ValueError: bad\n1 failed, 2 passed\nsee above"
    assert read_outcome(run(), output("c", text, Status.FAILED)).line == "1 failed, 2 passed"


@pytest.mark.parametrize(
    ("command", "text", "ok"),
    [
        ("go build ./... 2>&1 | head", "a.go:3:1: undefined: x", False),
        ("go build ./... 2>&1 | head", 'cmd/a.go:10:2: "fmt" imported and not used', False),
        ("go build ./... 2>&1 | head", "", True),
        ("go test ./... | tail -3", "ok  \tapp/store\t0.2s", True),
        ("pytest | tail -1", "3 passed in 0.1s", True),
        ("pytest | tail -1", "1 failed, 2 passed", False),
        ("make all; echo done", "done", None),
        ("go test ./... | grep ok", "ok  \tapp/store\t0.2s", None),
        ("go test ./... | head -1", "ok  \tapp/store\t0.2s", None),
        ("go test ./... | grep -E 'ok|FAIL'", "ok  \tapp/store\t0.2s", True),
        ("ruff check a || ruff check b", "error: no such rule\n0 issues.", None),
        ("mise run test | tail", "some line", None),
        ("cat app.log | head", "error: no disk", None),
        ("cat app.log", "error: no disk", None),
        ("pytest", "1 failed, 2 passed", False),
    ],
)
def test_where_a_pipe_hides_the_exit_code_only_what_a_check_reports_counts(
    command: str, text: str, ok: bool | None
) -> None:
    assert read_outcome(run(command), output("c", text)).ok is ok


def test_an_edit_that_was_refused_did_not_happen() -> None:
    edit = Action(kind=ActionKind.EDIT, path="a.py", changes=(TextEdit("x", "y"),))
    assert read_outcome(edit, output("c", "String to replace not found in file.")).ok is False
    assert read_outcome(edit, output("c", "The file a.py has been updated.")).ok is True
    assert read_outcome(edit, Output(call_id="c", status=Status.ABORTED)).ok is None


@pytest.mark.parametrize(
    ("command", "text", "ended", "ok"),
    [
        ("mv a.py b.py && go build ./...", "Exit code 1\nb.go:3:1: no such name", Status.FAILED, True),
        ("mv a.py b.py; ls", "b.py", Status.SUCCESS, True),
        ("mv a.py b.py; ls", "mv: cannot stat 'a.py': No such file or directory", Status.SUCCESS, None),
        ("go test ./... && mv a.py b.py", "Exit code 1\nFAIL", Status.FAILED, False),
        ("[ -f a.py ] && mv a.py b.py; ls", "", Status.SUCCESS, None),
        ("mv a.py b.py", "Exit code 1", Status.FAILED, False),
    ],
)
def test_files_are_moved_where_nothing_before_could_fail(
    command: str, text: str, ended: Status, ok: bool | None
) -> None:
    gone = next(one for one in call_actions(call("c", "Bash", command=command)) if one.kind is ActionKind.DELETE)
    assert read_outcome(gone, output("c", text, ended)).ok is ok


@pytest.mark.parametrize("text", ["(fail) cart > total", " 3 pass\n 1 fail", "12:--- FAIL: TestTotal", "3 issues:"])
def test_what_is_printed_tells_of_a_failure_where_a_pipe_hides_it(text: str) -> None:
    assert read_outcome(run("bun test 2>&1 | grep -n fail | tail -5"), output("c", text)).ok is False
