from __future__ import annotations

import pytest

from clew.curation.kinds import OutputKind, kind_of
from clew.domain import Call
from tests.builders import call
from tests.unit.curation.examples import BUILDS, TEST_RUNS

NUMBERED = "\n".join(f"{n:6d}→    berth = {n}" for n in range(1, 80))
HITS = "\n".join(f"src/quay_{n}.py:{n}:    moor({n})" for n in range(60))
NAMES = "\n".join(f"src/quay/berth_{n}.py" for n in range(60))
LOG = "\n".join(f"2031-05-04T10:00:{n:02d}Z INFO crane moved to {n}" for n in range(60))
DIFF = (
    "diff --git a/crane.py b/crane.py\nindex 1..2 100644\n--- a/crane.py\n+++ b/crane.py\n@@ -1,2 +1,2 @@\n-old\n+new\n"
)
CODE = "\n".join(
    f"def lift_{n}(load: int) -> int:\n    total = load + {n}\n    return (\n        total\n    )" for n in range(9)
)
PROSE = "The harbour opens at six in the morning.\nShips wait outside until the pilot has come aboard.\n" * 9


@pytest.mark.parametrize("name", TEST_RUNS)
def test_a_test_run_is_known_by_its_command_and_by_its_lines(name: str) -> None:
    text = TEST_RUNS[name][0]

    assert kind_of(call("c1", "bash", command=name), text) is OutputKind.TESTS
    assert kind_of(None, text) is OutputKind.TESTS


@pytest.mark.parametrize("name", BUILDS)
def test_a_build_is_known_by_its_command(name: str) -> None:
    assert kind_of(call("c1", "bash", command=name), BUILDS[name][0]) is OutputKind.BUILD


@pytest.mark.parametrize(
    ("asked", "text", "kind"),
    [
        (call("c1", "Read", file_path="src/quay.py"), NUMBERED, OutputKind.FILE),
        (call("c1", "bash", command="sed -n 1,80p src/quay.py"), CODE, OutputKind.FILE),
        (call("c1", "Read", file_path="var/crane.log"), LOG, OutputKind.LOG),
        (call("c1", "Edit", file_path="a.py", old_string="x", new_string="y"), NUMBERED, OutputKind.EDIT),
        (call("c1", "Grep", pattern="moor"), HITS, OutputKind.SEARCH),
        (call("c1", "Grep", pattern="moor"), NAMES, OutputKind.LISTING),
        (call("c1", "Glob", pattern="**/*.py"), NAMES, OutputKind.LISTING),
        (call("c1", "WebFetch", url="https://harbor.dev"), PROSE, OutputKind.PAGE),
        (call("c1", "Task", prompt="look"), PROSE, OutputKind.PROSE),
        (call("c1", "bash", command="git diff"), DIFF, OutputKind.DIFF),
        (call("c1", "bash", command="curl api"), '{"berths": [1, 2]}', OutputKind.JSON),
        (call("c1", "bash", command="curl api"), "<!DOCTYPE html><html><body>x</body></html>", OutputKind.PAGE),
        (call("c1", "bash", command="uptime"), "10:00 up 3 days", OutputKind.COMMAND),
        (call("c1", "bash", command="ps -ef | grep 'npm test'"), "ada 12 npm test", OutputKind.COMMAND),
        (None, HITS, OutputKind.SEARCH),
        (None, NAMES, OutputKind.LISTING),
        (None, LOG, OutputKind.LOG),
        (None, DIFF, OutputKind.DIFF),
        (None, NUMBERED, OutputKind.FILE),
        (None, CODE, OutputKind.FILE),
        (None, PROSE, OutputKind.PROSE),
        (None, "", OutputKind.OTHER),
    ],
)
def test_the_tool_says_what_was_asked_for_and_the_text_what_came(
    asked: Call | None, text: str, kind: OutputKind
) -> None:
    assert kind_of(asked, text) is kind


def test_what_an_assistant_writes_around_an_output_does_not_hide_its_kind() -> None:
    text = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{DIFF}"

    assert kind_of(call("c1", "exec_command", cmd="git diff"), text) is OutputKind.DIFF


def test_a_linter_that_quotes_code_is_a_build_and_no_file() -> None:
    quoted = "\n".join(f"  {n} │ const crane{n} = {{ lift: () => winch({n}), }};" for n in range(90))

    assert kind_of(call("c1", "bash", command="bun run lint"), quoted) is OutputKind.BUILD


def test_lines_that_only_look_like_a_test_run_are_matches_when_they_were_searched_for() -> None:
    found = "\n".join(f"ci_{n}.log:{n}:--- FAIL: TestMooring{n} (0.02s)" for n in range(60))

    assert kind_of(call("c1", "Grep", pattern="FAIL"), found) is OutputKind.SEARCH
