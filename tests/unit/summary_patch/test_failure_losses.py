"""Failures that a summary does not tell, each with what was reported."""

from __future__ import annotations

from clew.domain import Message, Status
from clew.summary_patch.state_losses import failure_losses
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import summary_of, texts, work_of

FAILED = tool_call("Bash", "FAILED tests/test_cart.py::test_tax - assert 3 == 4\n1 failed", command="pytest -q")


def lost(summary: str, *messages: Message, told: frozenset[int] = frozenset()) -> list[str]:
    return texts(failure_losses(work_of(*messages), summary_of(summary), corrected=told))


def test_a_failure_is_told_with_its_reason() -> None:
    (line,) = lost("Worked on the cart.", *FAILED)
    assert line.startswith("failed, not seen to pass since (m2): `pytest -q` → ")
    assert "assert 3 == 4" in line


def test_a_failure_that_the_summary_tells_is_not_told_again() -> None:
    assert lost("pytest -q fails: FAILED tests/test_cart.py::test_tax, assert 3 == 4 (1 failed).", *FAILED) == []
    assert lost("Worked on the cart.", *FAILED, told=frozenset({2})) == []


def test_failures_of_the_same_test_are_one_and_of_two_tests_two() -> None:
    again = tool_call("Bash", "FAILED tests/test_cart.py::test_tax - assert 3 == 4\n1 failed", command="pytest -x")
    other = tool_call(
        "Bash", "FAILED tests/test_price.py::test_sum - boom\n1 failed", command="pytest tests/test_price.py"
    )
    assert [line.partition("`")[0] for line in lost("Worked.", *FAILED, *again)] == [
        "failed, not seen to pass since (m4): "
    ]
    assert len(lost("Worked.", *FAILED, *other)) == 2


def test_a_failure_before_later_edits_says_so() -> None:
    (line,) = lost("Worked.", *FAILED, *edit_call("/shop/cart.py", "an old line", "a_new = line()"))
    assert line.endswith("; edited since: cart.py (m4)")


def test_a_check_that_says_only_that_it_failed_is_told_by_the_longer_command() -> None:
    why = "Error: src/cart.py:3: x is not used\n[lint] 1 issues:"
    long = tool_call("Bash", why, Status.FAILED, command="make && mise run lint")
    short = tool_call("Bash", "[lint] 1 issues:", Status.FAILED, command="mise run lint")
    (line,) = lost("Worked.", *long, *short)
    assert "`make && mise run lint`" in line
