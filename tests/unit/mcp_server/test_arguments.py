"""Checks of arguments."""

from __future__ import annotations

import pytest

from clew.errors import UsageError
from clew.mcp_server.arguments import ensure_short, whole_number


def test_numbers_are_whole_and_within_reason() -> None:
    assert [whole_number(value, name="n", most=9) for value in (None, 0, 3.0, 1e300)] == [None, 0, 3, 9]
    for wrong in (-1, 0.5, float("nan")):
        with pytest.raises(UsageError, match="n must be a whole number of 0 or more"):
            whole_number(wrong, name="n", most=9)


def test_a_long_text_is_refused_with_what_to_do() -> None:
    ensure_short("abc", name="query", most=3, instead="say less")
    with pytest.raises(UsageError, match="query has 4 characters, and at most 3 are taken; say less"):
        ensure_short("abcd", name="query", most=3, instead="say less")
