"""Amounts are read with their units; numbers within names, paths and times are none."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.words import values_in


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("10 MB", [("10", "mb")]),
        ("30 seconds", [("30", "se")]),
        ("half", []),
        ("1,200 words", [("1200", "")]),
        ("$4,000", [("4000", "$")]),
        ("v1.2.3", [("1.2.3", "")]),
        ("Python 3.12 and up", [("3.12", "")]),
        ("12:30:45.123", []),
        ("/v1/users", []),
        ("worker-2 of db1.example.com", []),
    ],
)
def test_amounts_are_read_with_their_units(text: str, values: list[tuple[str, str]]) -> None:
    assert [(value.amount, value.unit) for value in values_in(text)] == values
