"""Quantities are read in whatever way they are written."""

from __future__ import annotations

import pytest

from clew.signals.contradiction.quantities import quantities_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10 MB", (1e7, "bytes")),
        ("30 seconds", (30.0, "time")),
        ("half", None),
        ("1,200 words", (1200.0, "number")),
        ("$4,000", (4000.0, "money")),
        ("2k", (2000.0, "number")),
        ("3:30 pm", (930.0, "clock")),
        ("March 3rd", ("3/3", "date")),
        ("2024-03-03", ("3/3", "date")),
        ("v1.2.3", ("1.2.3", "version")),
        ("one hour", (3600.0, "time")),
        ("at ten.", (10.0, "number")),
        ("12:30:45.123", None),
        ("/v1/users", None),
    ],
)
def test_quantities_are_read_in_their_base_unit(text: str, found: tuple[float | str, str] | None) -> None:
    read = [(one.amount, one.dimension) for one in quantities_in(text)]
    assert read == ([found] if found else [])
