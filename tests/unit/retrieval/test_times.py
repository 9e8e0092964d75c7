"""Times as users type them."""

from __future__ import annotations

from time import time

import pytest

from clew.errors import UsageError
from clew.retrieval.times import since_time, until_time

DAY = 86_400


def test_a_day_begins_with_its_first_moment_and_ends_with_its_last() -> None:
    assert since_time("1970-01-02") == DAY
    assert until_time("1970-01-02") == 2 * DAY
    assert since_time("1970-01-02T00:01Z") == until_time("1970-01-02T00:01") == DAY + 60


def test_a_length_is_so_long_ago_and_nothing_is_no_time() -> None:
    assert (since_time("2d") or 0) == pytest.approx(time() - 2 * DAY, abs=3_600)
    assert (since_time(""), until_time("")) == (None, None)


def test_what_is_no_time_is_refused_with_what_is_one() -> None:
    with pytest.raises(UsageError, match="--since soon: give a day"):
        since_time("soon")
