"""The newest steps show what was done; what a reader cannot use is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.domain import Call
from clew.units.steps import StepContext, call_text, newest_steps, output_text, render_step, step_history
from tests.builders import call, gives, output, says, thinks, user


def shown(one: Call, text: str, age: int = 4, scale: float = 1.0) -> str:
    return output_text(output(one.id, text), one, age=age, scale=scale)


def test_of_a_check_that_passed_the_counts_are_shown() -> None:
    printed = "\n".join(f"tests/test_{at}.py::test PASSED" for at in range(30)) + "\n=== 30 passed in 1.2s ==="
    assert shown(call("c", "Bash", command="pytest -v"), printed) == "30 passed in 1.2s"


def test_a_file_that_was_read_a_while_ago_is_not_shown() -> None:
    read = call("c", "Read", file_path="/shop/cart.py")
    assert shown(read, "import os\n" * 40) == ""
    assert shown(read, "import os\n" * 40, age=1)
    assert shown(read, "import os\n" * 40, scale=5.0) == ""
    assert shown(read, "import os\n" * 40, scale=12.0)


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


def test_an_edit_shows_what_it_put_in_and_how_much_it_took_out() -> None:
    edit = call("c", "Edit", file_path="/shop/a.py", old_string="a = 1\nb = 2", new_string="a = 1\nb = 3")
    assert call_text(edit, 100, "/shop") == "a.py + a = 1\nb = 3"
    cut = call(
        "c",
        "Edit",
        file_path="/shop/a.py",
        old_string="def old():\n    a = 1\n    return a\n\nx = 1",
        new_string="x = 1",
    )
    assert call_text(cut, 100, "/shop") == "a.py - def old(): and 2 more lines"


def test_steps_further_back_leave_out_plans_and_reads_and_keep_reasons() -> None:
    read = call("c", "Read", file_path="/shop/a.py")
    message = says(thinks("Let me see. It fails because the lock is held."), "Let me look at the file.", read)
    step = render_step(replace(message, id="m7"), StepContext({}, root="/shop"), age=30, scale=1.0)
    assert step == "m7 agent, thinking: It fails because the lock is held."
    near = render_step(replace(message, id="m7"), StepContext({}, root="/shop"), age=3, scale=1.0)
    assert near == "m7 agent: Let me look at the file.\n  → Read a.py"


def test_a_change_that_failed_is_told_without_what_it_would_have_put_in() -> None:
    def tried(id: str) -> Call:
        return call(id, "Edit", file_path="/shop/a.py", old_string="x = 1", new_string="total = sum(prices)\n" * 9)

    messages = [
        replace(one, id=f"m{at}")
        for at, one in enumerate(
            (
                user("go"),
                says(tried("a")),
                gives(output("a", "Error: no match")),
                says(tried("b")),
                gives(output("b", "done")),
            ),
            1,
        )
    ]
    _, steps = newest_steps(step_history(messages, (), root="/shop"), room=4_000, count=len)
    shown = dict(steps)
    assert shown["m2"].count("total") < shown["m4"].count("total")


def test_to_dos_are_told_by_the_state_alone() -> None:
    message = replace(says(call("c", "TodoWrite", todos=[{"content": "mend", "status": "pending"}])), id="m3")
    assert render_step(message, StepContext({}), age=2, scale=1.0) == ""


def test_of_an_edit_further_back_that_put_in_imports_alone_nothing_is_shown() -> None:
    edit = call("c", "Edit", file_path="/shop/a.py", old_string="import os", new_string="import os\nimport re")
    message = replace(says(edit), id="m3")
    assert render_step(message, StepContext({}, root="/shop"), age=30, scale=1.0) == ""
    assert render_step(message, StepContext({}, root="/shop"), age=2, scale=1.0) == "m3 → Edit a.py"


def test_a_history_without_end_is_looked_at_from_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [
        message
        for at in range(40)
        for message in (says(f"Step {at}.", call(f"c{at}", "Bash", command="ls")), gives(output(f"c{at}", "a.py")))
    ]
    whole = newest_steps(step_history(steps, (), root=""), room=200, count=len)
    monkeypatch.setattr("clew.units.steps._MAX_STEPS", 33)
    history = step_history(steps, (), root="")
    assert history.cuts == list(range(48, 80, 2))  # it would begin between a call and its output
    assert newest_steps(history, room=200, count=len) == whole
    assert whole[0] in history.cuts


def test_of_an_output_of_megabytes_both_ends_are_shown() -> None:
    started, middle = call("c", "Deploy", target="shop"), "a line of the log\n" * 200_000
    found = shown(started, f"begins here\n{middle}ends here", age=1)
    assert found.startswith("begins here\na line")
    assert found.endswith("of the log\nends here")
    passes = "\n".join(f"--- PASS: Test{at} (0.00s)" for at in range(20_000))
    assert shown(started, f"begins here\n{passes}\nends here", age=1) == "begins here\n[…]\nends here"
