"""What a summary holds of a text: in its own words or others, near to one another."""

from __future__ import annotations

from clew.units.already_said import SaidText, shows
from tests.unit.summary_patch.examples import summary_of

SUMMARY = """1. Work:
   - The parser was moved from `cart.py` to `prices.py`, because taxes are computed there.
2. Next:
   ```python
   def total(cart): return round(sum(cart), 2)
   ```
   Run the tests for PR #302 on branch ana/fix-tax."""


def test_what_is_said_in_other_words_is_held() -> None:
    assert summary_of(SUMMARY).missing("Taxes are computed in `prices.py`, so the parser moved there.") < 0.3


def test_words_that_stand_apart_say_something_else() -> None:
    held = summary_of(SUMMARY)
    held = summary_of(f"The parser reads prices.\n{'Receipts are printed. ' * 4}\nThe branch is ana/fix-tax.")
    assert held.missing("The parser reads the branch ana/fix-tax.") > 0.25
    assert held.missing("The cache key is 1a2b3c4d.") == 1.0


def test_code_in_a_summary_is_held() -> None:
    assert summary_of(SUMMARY).missing("def total(cart): return round(sum(cart), 2)") == 0.0


def test_an_id_is_held_by_its_beginning() -> None:
    held = summary_of("Committed as 1a2b3c4.")
    assert held.has("1a2b3c4d5e")
    assert not held.has("9a2b3c4d5e")


def test_a_request_is_named_as_one_and_not_by_a_line_number() -> None:
    assert summary_of(SUMMARY).names_request("302")
    assert not summary_of("see cart.py line 302").names_request("302")


def test_a_branch_is_named_whole_or_by_a_telling_end() -> None:
    assert summary_of(SUMMARY).names_branch("ana/fix-tax")
    assert summary_of("on fix-tax").names_branch("ana/fix-tax")
    assert not summary_of("the tax").names_branch("ana/tax")


def test_lines_that_are_added_are_held_from_then_on() -> None:
    held = summary_of(SUMMARY)
    held.add("- The cache key is 1a2b3c4d.")
    assert held.missing("The cache key is 1a2b3c4d.") == 0.0


def test_the_closest_sentence_is_the_one_that_shares_most() -> None:
    assert "prices.py" in summary_of(SUMMARY).closest("the parser is in prices.py")
    assert summary_of(SUMMARY).closest("zebra") == ""


def test_very_words_are_quoted_in_whatever_case_and_however_lines_break() -> None:
    held = summary_of("They want no writes\nto the Live Ledger.")
    assert held.quotes("no writes to the live ledger")
    assert not held.quotes("no reads")
    held.add("- no reads either")
    assert held.quotes("no reads")


def test_a_form_is_shown_where_it_is_no_piece_of_a_longer_word() -> None:
    assert shows("see cart.py, line 3", ("cart.py",))
    assert not shows("see mycart.python", ("cart.py",))


def test_where_tokens_are_taken_alike_a_line_with_another_number_repeats_it() -> None:
    told = "I looked at file number 11 of the module and found nothing of interest."
    again = told.replace("11", "12")
    assert SaidText(told, weighs=False).missing(again) < SaidText(told).missing(again)
