from __future__ import annotations

import pytest

from clew.text.plurals import pluralise


@pytest.mark.parametrize(
    ("number", "noun", "read"),
    [
        (0, "message", "0 messages"),
        (1, "message", "1 message"),
        (2, "message", "2 messages"),
        (1, "reply", "1 reply"),
        (3, "reply", "3 replies"),
        (2, "day", "2 days"),
    ],
)
def test_a_noun_agrees_with_its_number(number: int, noun: str, read: str) -> None:
    assert pluralise(number, noun) == read
