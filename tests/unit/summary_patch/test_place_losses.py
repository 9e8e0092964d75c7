"""Where files were changed, as far as a summary does not tell."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.edit_places import read_edit_history
from clew.summary_patch.focus import Focus
from clew.summary_patch.place_losses import place_losses
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of

SHOWN = "1→def total(cart):\n2→    rate = 2\n3→    return cart * rate\n4→def shipping(cart):\n5→    fee = 2\n"
READ = tool_call("Read", SHOWN, file_path="/shop/cart.py")


def lost(summary: str, *messages: Message) -> list[str]:
    held, steps = summary_of(summary), numbered(*messages)
    history = read_edit_history(steps, root="/shop")
    return texts(place_losses(steps, history, work_of(*messages), held, Focus(summary, held, ()), request=0))


def test_a_place_is_told_with_its_function_line_and_new_code() -> None:
    edit = edit_call("/shop/cart.py", "    rate = 2", "    rate = tax_table['EUR']")
    assert lost("Worked.", *READ, *edit) == ["cart.py (m3): in total (line 2): `rate = tax_table['EUR']`"]
    assert lost("In `cart.py`, `total` now has rate = tax_table['EUR'].", *READ, *edit) == []


def test_names_that_were_added_are_told_unless_the_summary_has_them_beside_the_file() -> None:
    edit = edit_call("/shop/cart.py", "x = 1", "def round_tax(): ...\ndef round_fee(): ...")
    assert lost("Added `round_tax` to cart.py.", *edit) == ["cart.py (m1): adds round_fee"]


def test_the_same_line_in_several_places_is_told_once() -> None:
    first = edit_call("/shop/cart.py", "    rate = 2", "    check_currency(cart)")
    second = edit_call("/shop/cart.py", "    fee = 2", "    check_currency(cart)")
    assert lost("Worked.", *READ, *first, *second) == [
        "cart.py (m3–m5): in total (line 2), in shipping (line 5): `check_currency(cart)`"
    ]


def test_a_line_that_was_taken_out_again_is_not_told() -> None:
    first = edit_call("/shop/cart.py", "    rate = 2", "    rate = tax_table['EUR']")
    second = edit_call("/shop/cart.py", "    rate = tax_table['EUR']", "")
    assert lost("Worked.", *READ, *first, *second) == []


def test_files_elsewhere_and_prose_are_left_out() -> None:
    notes = edit_call("/shop/NOTES.md", "a", "some_word = of_it()")
    assert lost("Worked.", *notes, *edit_call("/tmp/try.py", "x = 1", "def try_it(): ...")) == []
