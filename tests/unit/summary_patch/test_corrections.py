"""Claims of a summary that the records do not bear out."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.corrections import corrections
from tests.builders import says
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of

FAILED = tool_call("Bash", "FAILED tests/test_cart.py::test_tax - assert 3 == 4\n1 failed", command="pytest -q")
PASSED = tool_call("Bash", "3 passed", command="pytest -q")


def found(summary: str, *messages: Message) -> list[str]:
    return texts(corrections(numbered(*messages), work_of(*messages), summary_of(summary)))


def test_tests_that_failed_last_do_not_pass() -> None:
    (line,) = found("Rounded the tax. All tests pass.", *FAILED)
    assert line.startswith(
        'the summary says "All tests pass."; records show: failed, not seen to pass since (m2): `pytest -q` →'
    )


def test_claims_that_hold_and_failures_that_are_told_need_no_correction() -> None:
    assert found("All tests pass.", *FAILED, *PASSED) == []
    assert found("test_tax in tests/test_cart.py fails: assert 3 == 4.", *FAILED) == []


def test_wishes_and_plans_are_no_claims() -> None:
    assert found("Make sure all tests pass. Tests should pass.", *FAILED) == []


def test_a_claim_about_other_tests_is_not_corrected() -> None:
    assert found("The tests of `PriceTable` pass.", *FAILED) == []


def test_edits_after_the_last_check_are_not_proven() -> None:
    edited = edit_call("/shop/cart.py", "a line of it", "another line of it")
    assert found("All tests pass.", *PASSED, *edited) == [
        'the summary says "All tests pass."; records show: no build or test run since the edits of cart.py (m4);'
        " last: `pytest -q` passed (m2)"
    ]


def test_a_step_of_the_past_is_no_claim_about_now() -> None:
    edited = edit_call("/shop/cart.py", "a line of it", "another line of it")
    for step in (
        "8. Ran fmt, lint, and all tests (pass)",
        "Verified that all tests pass.",
        "- Then ran the tests: green",
    ):
        assert found(step, *PASSED, *edited) == []


def test_to_dos_that_are_open_are_not_done() -> None:
    todos = [{"content": "Round the tax", "status": "completed"}, {"content": "Print receipts", "status": "pending"}]
    assert found("All tasks are completed.", *tool_call("TodoWrite", "ok", todos=todos)) == [
        'the summary says "All tasks are completed."; records show: to-dos still open (m2): Print receipts'
    ]


def test_edits_that_are_not_in_a_commit_are_not_committed() -> None:
    commit = tool_call("Bash", "[main 1a2b3c4] Round the total", command="git commit -am x")
    edited = edit_call("/shop/cart.py", "a line of it", "another line of it")
    assert found("All changes are committed.", *commit, *edited) == [
        'the summary says "All changes are committed."; records show: no commit seen since the edits of: cart.py'
    ]


def test_what_the_agent_had_still_to_do_is_not_done() -> None:
    last = says("Need to add `zoneinfo` and `shelve` to the imports.")
    assert found("Added `zoneinfo` and `shelve` imports.", last) == [
        'the summary says "Added `zoneinfo` and `shelve` imports."; records show: the agent\'s last words were'
        ' "Need to add `zoneinfo` and `shelve` to the imports." (m1), and nothing was done after them'
    ]
    assert found("Added `zoneinfo` imports.", says("Added `zoneinfo` to the imports.")) == []
