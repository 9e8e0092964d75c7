"""An earlier summary is carried on by its items; what it says of the state fades as work goes on."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Origin, Text
from clew.units.earlier_units import earlier_units
from clew.units.terms import TermUse
from tests.builders import user

SUMMARY = """This session is being continued from a previous conversation.
Analysis:
Let me think about it.

Summary:
1. Primary Request and Intent:
   - Make the cart show its total
   - Never touch the price table
2. Files and Code Sections:
   - `cart.py`
```python
def a_long_function():
    return "so long that nobody would read it in a summary of a summary, and longer still"
    # and one more line, so that it is sure to be left out of it
```
3. Pending Tasks:
   - Run the tests

Please continue the conversation from where we left it off.
"""
MESSAGE = replace(user(SUMMARY), origin=Origin.SUMMARY, id="m1")


def values(newest: int) -> dict[str, tuple[str, float]]:
    return {unit.text.strip(): (unit.heading, unit.value) for unit in earlier_units(MESSAGE, newest, TermUse(()))}


def test_items_stand_under_their_headings_without_the_clients_words() -> None:
    assert [(text, heading) for text, (heading, _) in values(10).items()] == [
        ("- Make the cart show its total", "1. Primary Request and Intent:"),
        ("- Never touch the price table", "1. Primary Request and Intent:"),
        ("- `cart.py`", "2. Files and Code Sections:"),
        ("- Run the tests", "3. Pending Tasks:"),
    ]


def test_requests_are_worth_more_than_files_and_the_state_fades() -> None:
    soon, late = values(2), values(300)
    assert late["- Never touch the price table"][1] > late["- `cart.py`"][1] > late["- (then) Run the tests"][1]
    assert soon["- Run the tests"][1] > late["- (then) Run the tests"][1]


def test_what_was_open_is_said_to_have_been_so_then() -> None:
    summary = replace(
        MESSAGE, parts=(Text(text="4. Errors:\n   - The total test is not yet fixed\n   - Prices are cents"),)
    )
    found = [unit.text.strip() for unit in earlier_units(summary, 60, TermUse(()))]
    assert found == ["- (then) The total test is not yet fixed", "- Prices are cents"]
