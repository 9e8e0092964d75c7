"""What later work has overtaken."""

from __future__ import annotations

from clew.units.later_work import LaterWork
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered

EDIT = edit_call("/shop/cart.py", "x = round_tax(1)", "x = round_tax(1, 2)")


def test_a_fault_that_was_edited_afterwards_is_overtaken() -> None:
    later = LaterWork(numbered(*EDIT))
    assert later.overtakes("`round_tax` does not round to two decimals.", 0)
    assert not later.overtakes("`round_tax` does not round to two decimals.", 1)
    assert not later.overtakes("`print_tax` does not round.", 0)


def test_a_reason_is_not() -> None:
    assert not LaterWork(numbered(*EDIT)).overtakes(
        "`round_tax` takes two decimals because the office asked for it.", 0
    )


def test_a_failure_is_overtaken_by_a_check_that_passed_and_by_nothing_else() -> None:
    words = "The tests of the cart are failing."
    looked = tool_call("Bash", "cart.py", command="ls")
    passed = tool_call("Bash", "3 passed in 0.12s", command="pytest -q")
    assert not LaterWork(numbered(*looked)).overtakes(words, 1)
    assert LaterWork(numbered(*looked, *passed)).overtakes(words, 1)
    assert not LaterWork(numbered(*looked, *passed)).overtakes(words, 4)


def test_messages_that_came_since_are_read_on() -> None:
    first, second = numbered(*EDIT, *tool_call("Bash", "3 passed in 0.12s", command="pytest -q"))[:2], None
    later = LaterWork(first)
    assert not later.overtakes("The tests fail.", 2)
    second = numbered(*EDIT, *tool_call("Bash", "3 passed in 0.12s", command="pytest -q"))[2:]
    later.read(second)
    assert later.overtakes("The tests fail.", 2)
