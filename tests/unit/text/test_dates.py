"""Times that a query names."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clew.text.dates import time_span

#: A Thursday.
NOW = datetime(2026, 3, 19, 15, 30, tzinfo=UTC).timestamp()


def day(month: int, number: int, year: int = 2026) -> float:
    return datetime(year, month, number, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("what broke yesterday?", day(3, 18), day(3, 19)),
        ("what did we do today", day(3, 19), day(3, 20)),
        ("last Tuesday's bug", day(3, 17), day(3, 18)),
        ("on Thursday", day(3, 12), day(3, 13)),
        ("on 8 May 2023", day(5, 8, 2023), day(5, 9, 2023)),
        ("May 8th, 2023", day(5, 8, 2023), day(5, 9, 2023)),
        ("2024-02-29 release", day(2, 29, 2024), day(3, 1, 2024)),
        ("in December", day(12, 1, 2025), day(1, 1, 2026)),
        ("February 2026 plans", day(2, 1), day(3, 1)),
        ("last week", day(3, 12), day(3, 19)),
        ("three days ago", day(3, 16), day(3, 17)),
    ],
)
def test_a_time_is_a_span_of_days(text: str, start: float, end: float) -> None:
    assert time_span(text, NOW) == (start, end)


@pytest.mark.parametrize("text", ["", "may I ask", "the march of time", "31 February 2024", "9999-99-99", "before it"])
def test_what_names_no_time_is_none(text: str) -> None:
    assert time_span(text, NOW) is None
