"""Numbers before lines: taken off in every way in which tools write them, and read with their lines."""

from __future__ import annotations

import pytest

from clew.text.definitions import numbered_lines, without_line_numbers


@pytest.mark.parametrize("mark", ["→", "\t", "| "])
def test_numbers_in_any_way_of_tools(mark: str) -> None:
    text = f"     1{mark}def total():\n    12{mark}    return 3"
    assert without_line_numbers(text) == "def total():\n    return 3"
    assert [*numbered_lines(text)] == [(1, "def total():"), (12, "    return 3")]


def test_numbers_that_belong_to_the_text_stay() -> None:
    assert without_line_numbers("12: a list\n3 apples") == "12: a list\n3 apples"
