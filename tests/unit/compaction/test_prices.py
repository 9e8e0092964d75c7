"""Prices of models by name."""

from __future__ import annotations

import pytest

from clew.compaction.prices import Price, known_price, price_of
from clew.domain import Usage


def test_prices_come_from_one_table_that_the_user_overrides() -> None:
    assert price_of("claude-sonnet-5", {}) == Price(2.0, pytest.approx(0.2), 2.5, 10.0)
    assert price_of("gpt-5", {}).write_ratio == 1.0
    own = {"gpt-5": {"input": 2.0}, "gpt-5-mini": {"cache_read": 0.5}}
    assert price_of("gpt-5-mini-2026", own) == price_of("gpt-5-mini", {})._replace(cache_read=0.5)
    assert price_of("gpt-5.2", own).input == 2.0
    assert price_of("nobody-knows-it", {}).write_ratio == 1.25


@pytest.mark.parametrize(
    ("name", "input"),
    [
        ("claude-opus-4-5-20251101", 5.0),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", 3.0),
        ("anthropic/claude-3.5-sonnet", 3.0),
        ("claude-sonnet-4-6[1m]", 3.0),
        ("claude-sonnet-4-5@20250929", 3.0),
        ("gpt-5.5", 5.0),
        ("gemini-2.5-pro-preview-05-06", 1.25),
    ],
)
def test_a_price_is_known_by_the_whole_name_whatever_hosts_put_around_it(name: str, input: float) -> None:
    price = known_price(name, {})
    assert price is not None
    assert price.input == input


def test_the_price_of_a_relative_is_no_known_price() -> None:
    for name in ("gpt-5.3-codex-spark", "claude-opus-9", "<synthetic>", "", "llama-4"):
        assert known_price(name, {}) is None
    own = {
        "llama": {"input": 1.0, "cache_read": 0.1, "cache_write": 1.0, "output": 2.0},
        "gpt-5.3-codex": {"input": 1.0},
    }
    assert known_price("llama-4", own) == Price(1.0, 0.1, 1.0, 2.0)
    assert known_price("gpt-5.3-codex-spark", own) is None


def test_caches_and_long_prompts_cost_what_providers_say() -> None:
    opus, sonnet = known_price("claude-opus-4-6", {}), known_price("claude-sonnet-4-5", {})
    assert opus is not None
    assert sonnet is not None
    million = 1_000_000
    assert opus.cost(Usage(4 * million, million, million, 2 * million, million)) == 5 + 0.5 + 6.25 + 10 + 25
    assert sonnet.cost(Usage(200_000, 0)) == pytest.approx(0.6)
    assert sonnet.cost(Usage(200_001, 100_000)) == pytest.approx(0.600003 * 2 + 2.25)
