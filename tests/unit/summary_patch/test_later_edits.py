"""What later edits have overtaken."""

from __future__ import annotations

from clew.summary_patch.later_edits import LaterEdits
from tests.unit.history.work_map.examples import edit_call
from tests.unit.summary_patch.examples import numbered


def test_a_fault_that_was_edited_afterwards_is_overtaken() -> None:
    edits = LaterEdits(numbered(*edit_call("/shop/cart.py", "x = round_tax(1)", "x = round_tax(1, 2)")))
    assert edits.overtake("`round_tax` does not round to two decimals.", 0)
    assert not edits.overtake("`round_tax` does not round to two decimals.", 1)
    assert not edits.overtake("`print_tax` does not round.", 0)


def test_a_reason_is_not() -> None:
    edits = LaterEdits(numbered(*edit_call("/shop/cart.py", "x = round_tax(1)", "x = round_tax(1, 2)")))
    assert not edits.overtake("`round_tax` takes two decimals because the office asked for it.", 0)
