from __future__ import annotations

import pytest

from clew.curation import Kind, kind_of
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

    assert kind_of(call("c1", "bash", command=name), text) is Kind.TESTS
    assert kind_of(None, text) is Kind.TESTS


@pytest.mark.parametrize("name", BUILDS)
def test_a_build_is_known_by_its_command(name: str) -> None:
    assert kind_of(call("c1", "bash", command=name), BUILDS[name][0]) is Kind.BUILD


@pytest.mark.parametrize(
    ("asked", "text", "kind"),
    [
        (call("c1", "Read", file_path="src/quay.py"), NUMBERED, Kind.FILE),
        (call("c1", "bash", command="sed -n 1,80p src/quay.py"), CODE, Kind.FILE),
        (call("c1", "Read", file_path="var/crane.log"), LOG, Kind.LOG),
        (call("c1", "Edit", file_path="a.py", old_string="x", new_string="y"), NUMBERED, Kind.EDIT),
        (call("c1", "Grep", pattern="moor"), HITS, Kind.SEARCH),
        (call("c1", "Grep", pattern="moor"), NAMES, Kind.LISTING),
        (call("c1", "Glob", pattern="**/*.py"), NAMES, Kind.LISTING),
        (call("c1", "WebFetch", url="https://harbor.dev"), PROSE, Kind.PAGE),
        (call("c1", "Task", prompt="look"), PROSE, Kind.PROSE),
        (call("c1", "bash", command="git diff"), DIFF, Kind.DIFF),
        (call("c1", "bash", command="curl api"), '{"berths": [1, 2]}', Kind.JSON),
        (call("c1", "bash", command="curl api"), "<!DOCTYPE html><html><body>x</body></html>", Kind.PAGE),
        (call("c1", "bash", command="uptime"), "10:00 up 3 days", Kind.COMMAND),
        (call("c1", "bash", command="ps -ef | grep 'npm test'"), "ada 12 npm test", Kind.COMMAND),
        (None, HITS, Kind.SEARCH),
        (None, NAMES, Kind.LISTING),
        (None, LOG, Kind.LOG),
        (None, DIFF, Kind.DIFF),
        (None, NUMBERED, Kind.FILE),
        (None, CODE, Kind.FILE),
        (None, PROSE, Kind.PROSE),
        (None, "", Kind.OTHER),
    ],
)
def test_the_tool_says_what_was_asked_for_and_the_text_what_came(asked: Call | None, text: str, kind: Kind) -> None:
    assert kind_of(asked, text) is kind


def test_what_an_assistant_writes_around_an_output_does_not_hide_its_kind() -> None:
    text = f"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{DIFF}"

    assert kind_of(call("c1", "exec_command", cmd="git diff"), text) is Kind.DIFF
