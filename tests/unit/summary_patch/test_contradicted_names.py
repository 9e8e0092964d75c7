"""Names and numbers of a summary that no record has."""

from __future__ import annotations

import pytest

from clew.domain import Message
from clew.summary_patch.contradicted_names import contradicted_names
from tests.builders import says, user
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import gathered, numbered, patch, summary_of, texts, work_of

BRANCH = tool_call("Bash", "On branch ana/cart-tax\nnothing to commit, working tree clean", command="git status")
EDITED = edit_call("/shop/src/cart/tax.py", "a line of it", "another line of it")
RULE = user("Keep every booking for at most 48 hours, then let the berth go.")


def found(summary: str, *messages: Message) -> list[str]:
    known = numbered(*messages)
    return texts(contradicted_names(known, work_of(*messages), gathered(*messages).statements, summary_of(summary)))


@pytest.mark.parametrize(
    "claim", ["We are on branch `feature/login`.", "- **Current branch**: feature/login", "Branch: `feature/login`"]
)
def test_a_branch_that_nobody_named_is_corrected(claim: str) -> None:
    (line,) = found(claim, *BRANCH)
    assert line.endswith("records show: branch ana/cart-tax (m2)")


def test_other_branches_and_the_right_one_are_not() -> None:
    for summary in (
        "Data is kept on orphan branch `feature/data`.",
        "Fixed by `git branch -D feature/login`.",
        "We are on branch `feature/login`, made from ana/cart-tax.",
        "Next: check out branch: feature/login",
    ):
        assert found(summary, *BRANCH) == []
    assert found("We are on branch `main`.", says("I look at main first."), *BRANCH) == []


def test_a_path_that_stands_nowhere_is_corrected_where_one_file_has_that_name() -> None:
    (line,) = found("The tax is rounded in `lib/prices/tax.py`.", *EDITED)
    assert line.endswith('"; records show: src/cart/tax.py (m2)')
    assert found("The tax is rounded in cart/tax.py.", *EDITED) == []
    assert found("The tax should move to `lib/prices/tax.py`.", *EDITED) == []
    assert found("It was in `lib/prices/tax.py`.", says("lib/prices/tax.py is the old one"), *EDITED) == []
    other = edit_call("/shop/src/fees/tax.py", "a line of it", "another line of it")
    assert found("The tax is rounded in `lib/prices/tax.py`.", *EDITED, *other) == []


def test_a_number_that_a_person_gave_is_corrected() -> None:
    (line,) = found("Rule: keep every booking for at most 72 hours, then let the berth go.", RULE)
    assert line.endswith('"; records show: the user said "' + RULE.text + '" (m1)')
    assert found("Rule: keep every booking for at most 48 hours, then let the berth go.", RULE) == []
    later = user("Make that 72 hours.")
    assert found("Rule: keep every booking for at most 72 hours, then let the berth go.", RULE, later) == []


def test_corrections_come_first_in_a_patch_of_the_usual_size() -> None:
    summary = "We are on branch `feature/login`. The tax is rounded in `lib/prices/tax.py`."
    summary += " All tests pass (9 passed, 0 failed)."
    failed = tool_call("Bash", "FAILED tests/test_cart.py::test_tax - assert 3 == 4\n1 failed", command="pytest -q")
    assert patch(summary, *BRANCH, *EDITED, *failed).text.count("- the summary says") == 3
