"""The newest steps show what was done; what a reader cannot use is left out."""

from __future__ import annotations

from clew.domain import Call
from clew.units.steps import call_text, output_text
from tests.builders import call, output


def shown(one: Call, text: str, age: int = 4, scale: float = 1.0) -> str:
    return output_text(output(one.id, text), one, age=age, scale=scale)


def test_of_a_check_that_passed_the_counts_are_shown() -> None:
    printed = "\n".join(f"tests/test_{at}.py::test PASSED" for at in range(30)) + "\n=== 30 passed in 1.2s ==="
    assert shown(call("c", "Bash", command="pytest -v"), printed) == "30 passed in 1.2s"


def test_a_file_that_was_read_a_while_ago_is_not_shown() -> None:
    read = call("c", "Read", file_path="/shop/cart.py")
    assert shown(read, "import os\n" * 40) == ""
    assert shown(read, "import os\n" * 40, age=1)
    assert shown(read, "import os\n" * 40, scale=5.0)


def test_data_that_a_service_answered_is_shown_in_short_or_not_at_all() -> None:
    asked = call("c", "Bash", command="gh api repos/a/b/pulls/1")
    answer = '{"url": "x", ' + '"key": "value", ' * 80 + '"id": 7}'
    assert len(shown(asked, answer)) < 150
    assert shown(asked, answer, scale=0.25) == ""


def test_what_a_client_writes_under_a_subagents_report_is_not_shown() -> None:
    asked = call("c", "Task", prompt="look", subagent_type="explore")
    report = "The cart stands in cart.py.\nagentId: a0f (for resuming)\n<usage>total_tokens: 5\n</usage>"
    assert shown(asked, report) == "The cart stands in cart.py."


def test_streams_of_passes_are_left_out_of_what_goes_on() -> None:
    poll = call("c", "write_stdin", session_id=7)
    printed = (
        "running\n" + "\n".join(f"core test: (pass) Repo > case {at} [3.1ms]" for at in range(30)) + "\nstill building"
    )
    assert shown(poll, printed) == "running\nstill building"


def test_an_edit_that_only_removes_says_so() -> None:
    edit = call("c", "Edit", file_path="/shop/a.py", old_string="a = 1\nb = 2\n", new_string="a = 1\n")
    assert call_text(edit, 100, "/shop") == "a.py - b = 2"
