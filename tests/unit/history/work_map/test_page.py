"""The work map as people read it."""

from __future__ import annotations

from clew.domain import Status
from clew.history.work_map.page import render_work_map
from clew.history.work_map.view import WorkMap
from tests.builders import user
from tests.unit.history.work_map.examples import edit_call, tool_call, work_map_of


def test_an_empty_session_has_an_empty_map() -> None:
    assert (work_map_of(), render_work_map(WorkMap())) == (WorkMap(), "")


def test_people_read_facts_bound_to_paths() -> None:
    work = work_map_of(
        user("Fix the login"),
        *tool_call("Read", "10→def load_config():", file_path="/w/app/src/a.py"),
        *edit_call("/w/app/src/a.py", "    pass", "    return parse_text(1)"),
        *tool_call("Read", "x", file_path="/w/app/lib/b.py", offset=3, limit=2),
        *tool_call("Bash", "FAILED tests/t.py::test_login - boom\n1 failed", Status.FAILED, command="pytest"),
        *tool_call("TodoWrite", todos=[{"content": "mend it", "status": "in_progress"}]),
    )
    assert render_work_map(work) == "\n".join(
        [
            "asked last (m1): Fix the login",
            "root /w/app",
            "src/a.py: edited 1×, last m5, read m3",
            "  last edit touches parse_text",
            "  with load_config",
            "  |     return parse_text(1)",
            "lib/b.py: read m7 lines 3–4",
            "tests/t.py: seen m9",
            "  with test_login",
            "$ pytest → failed m9: 1 failed; failing: tests/t.py::test_login",
            "[>] mend it",
        ]
    )


def test_terminal_sequences_do_not_reach_people() -> None:
    work = work_map_of(*edit_call("a.py", "x", "colour = '\x1b[31m'"))
    assert "\x1b" not in render_work_map(work)
