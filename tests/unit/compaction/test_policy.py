"""When it is time to compact: at the limits, and when carrying on has cost what compacting costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.compaction.policy import Carried, cost_of, due, near, pays
from clew.compaction.prices import TOKENS, Price, price_of
from clew.config import CompactionConfig
from clew.domain import Why

CONFIG = CompactionConfig()
PRICE = Price(3.0, 0.3, 3.75, 15.0)
QUIET = Carried(limit=180_000, system=10_000, context=40_000, next=9_000, reread=0, excess=0, calls=100)


def enough(carried: Carried, share: float) -> Carried:
    """With so much paid for carrying on, as a share of what compacting costs."""
    return replace(carried, excess=int(share * cost_of(carried, PRICE) / PRICE.read) + 1)


def test_nothing_is_due_while_carrying_on_has_cost_little() -> None:
    assert due(QUIET, CONFIG, PRICE) is None


def test_it_pays_when_carrying_on_has_cost_what_compacting_costs_and_a_task_ends() -> None:
    assert due(replace(enough(QUIET, 0.6), at_border=True), CONFIG, PRICE) is Why.PAYS
    assert due(enough(QUIET, 0.6), CONFIG, PRICE) is None


def test_amid_a_task_it_waits_longer_but_not_for_ever() -> None:
    assert due(enough(QUIET, 1.4), CONFIG, PRICE) is None
    assert due(enough(QUIET, 1.5), CONFIG, PRICE) is Why.PAYS


def test_a_session_with_few_calls_is_not_expected_to_last() -> None:
    assert not pays(replace(enough(QUIET, 5), calls=2), PRICE)


def test_what_has_to_be_read_again_makes_it_dearer() -> None:
    assert cost_of(replace(QUIET, reread=7_000), PRICE) > cost_of(QUIET, PRICE) + 7_000


def test_short_conversations_are_left_alone() -> None:
    short = replace(enough(QUIET, 9), context=CONFIG.floor_tokens - 1, at_border=True, is_cold=True)
    assert due(short, CONFIG, PRICE) is None


def test_a_cold_cache_is_the_cheapest_moment() -> None:
    assert due(replace(QUIET, is_cold=True), CONFIG, PRICE) is Why.COLD


def test_from_the_soft_share_on_it_waits_for_a_border_and_from_the_hard_one_for_nothing() -> None:
    late = replace(CONFIG, when="late")
    soft, hard = replace(QUIET, context=135_000), replace(QUIET, context=162_000)
    assert due(soft, late, PRICE) is None
    assert due(replace(soft, at_border=True), late, PRICE) is Why.SOFT
    assert due(hard, late, PRICE) is Why.HARD


def test_late_does_not_look_at_prices() -> None:
    assert due(replace(enough(QUIET, 9), at_border=True, is_cold=True), replace(CONFIG, when="late"), PRICE) is None


@pytest.mark.parametrize(
    ("switch", "carried"),
    [
        ("on_price", replace(enough(QUIET, 9), at_border=True)),
        ("on_cold", replace(QUIET, is_cold=True)),
        ("on_soft", replace(QUIET, context=140_000, at_border=True)),
        ("on_hard", replace(QUIET, context=165_000)),
        ("auto", replace(QUIET, context=165_000, is_cold=True)),
    ],
)
def test_each_trigger_has_a_switch(switch: str, carried: Carried) -> None:
    alone = replace(CONFIG, on_price=False, on_cold=False, on_soft=False, on_hard=False)
    only = CONFIG if switch == "auto" else replace(alone, **{switch: True})
    assert due(carried, only, PRICE) is not None
    assert due(carried, replace(only, **{switch: False}), PRICE) is None


def test_nothing_is_compacted_that_would_not_halve() -> None:
    assert due(replace(enough(QUIET, 9), next=25_000, at_border=True), CONFIG, PRICE) is None
    assert due(replace(QUIET, context=170_000, next=140_000), CONFIG, PRICE) is None


def test_subscribers_count_tokens_so_it_pays_sooner() -> None:
    some = replace(QUIET, excess=30_000, at_border=True)
    assert not pays(some, PRICE)
    assert pays(some, TOKENS)
    assert due(some, replace(CONFIG, counts="tokens"), PRICE) is Why.PAYS


def test_what_will_be_due_soon_is_near() -> None:
    assert near(enough(QUIET, 0.5), CONFIG, PRICE)
    assert near(QUIET, CONFIG, PRICE)  # the cache may go cold at any time
    assert not near(replace(QUIET, context=20_000), CONFIG, PRICE)


def test_prices_come_from_one_table_that_the_user_overrides() -> None:
    assert price_of("claude-sonnet-5", {}) == Price(3.0, pytest.approx(0.3), pytest.approx(3.75), 15.0)
    assert price_of("gpt-5", {}).write == 1.0
    own = {"gpt-5": {"input": 2.0}, "gpt-5-mini": {"cache_read": 0.5}}
    assert price_of("gpt-5-mini-2026", own) == price_of("gpt-5-mini", {})._replace(cache_read=0.5)
    assert price_of("gpt-5.2", own).input == 2.0
    assert price_of("nobody-knows-it", {}).write == 1.25
