"""Prices of models by name."""

from __future__ import annotations

import pytest

from clew.compaction.prices import Price, price_of


def test_prices_come_from_one_table_that_the_user_overrides() -> None:
    assert price_of("claude-sonnet-5", {}) == Price(3.0, pytest.approx(0.3), pytest.approx(3.75), 15.0)
    assert price_of("gpt-5", {}).write_ratio == 1.0
    own = {"gpt-5": {"input": 2.0}, "gpt-5-mini": {"cache_read": 0.5}}
    assert price_of("gpt-5-mini-2026", own) == price_of("gpt-5-mini", {})._replace(cache_read=0.5)
    assert price_of("gpt-5.2", own).input == 2.0
    assert price_of("nobody-knows-it", {}).write_ratio == 1.25
