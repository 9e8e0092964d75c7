"""When it is time to compact: at the limits, and when carrying on has cost what compacting costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.compaction.policy import PromptLoad, cost_of, is_near, pays, trigger_due
from clew.compaction.prices import PER_TOKEN, Price
from clew.config import CompactionConfig
from clew.domain import Trigger

CONFIG = CompactionConfig()
PRICE = Price(3.0, 0.3, 3.75, 15.0)
QUIET = PromptLoad(limit=180_000, system=10_000, context=40_000, next=9_000, reread=0, excess=0, calls=100)


def enough(load: PromptLoad, share: float) -> PromptLoad:
    """With so much paid for carrying on, as a share of what compacting costs."""
    return replace(load, excess=int(share * cost_of(load, PRICE) / PRICE.read_ratio) + 1)


def test_nothing_is_due_while_carrying_on_has_cost_little() -> None:
    assert trigger_due(QUIET, CONFIG, PRICE) is None


def test_it_pays_when_carrying_on_has_cost_what_compacting_costs_and_a_task_ends() -> None:
    assert trigger_due(replace(enough(QUIET, 0.6), at_border=True), CONFIG, PRICE) is Trigger.PAYS
    assert trigger_due(enough(QUIET, 0.6), CONFIG, PRICE) is None


def test_amid_a_task_it_waits_longer_but_not_for_ever() -> None:
    assert trigger_due(enough(QUIET, 1.4), CONFIG, PRICE) is None
    assert trigger_due(enough(QUIET, 1.5), CONFIG, PRICE) is Trigger.PAYS


def test_a_session_with_few_calls_is_not_expected_to_last() -> None:
    assert not pays(replace(enough(QUIET, 5), calls=2), PRICE)


def test_what_has_to_be_read_again_makes_it_dearer() -> None:
    assert cost_of(replace(QUIET, reread=7_000), PRICE) > cost_of(QUIET, PRICE) + 7_000


def test_short_conversations_are_left_alone() -> None:
    short = replace(enough(QUIET, 9), context=CONFIG.floor_tokens - 1, at_border=True, is_cold=True)
    assert trigger_due(short, CONFIG, PRICE) is None


def test_a_cold_cache_is_the_cheapest_moment() -> None:
    assert trigger_due(replace(QUIET, is_cold=True), CONFIG, PRICE) is Trigger.COLD


def test_from_the_soft_share_on_it_waits_for_a_border_and_from_the_hard_one_for_nothing() -> None:
    late = replace(CONFIG, preset="late")
    soft, hard = replace(QUIET, context=135_000), replace(QUIET, context=162_000)
    assert trigger_due(soft, late, PRICE) is None
    assert trigger_due(replace(soft, at_border=True), late, PRICE) is Trigger.SOFT
    assert trigger_due(hard, late, PRICE) is Trigger.HARD


def test_late_does_not_look_at_prices() -> None:
    assert (
        trigger_due(replace(enough(QUIET, 9), at_border=True, is_cold=True), replace(CONFIG, preset="late"), PRICE)
        is None
    )


@pytest.mark.parametrize(
    ("switch", "load"),
    [
        ("on_price", replace(enough(QUIET, 9), at_border=True)),
        ("on_cold", replace(QUIET, is_cold=True)),
        ("on_soft", replace(QUIET, context=140_000, at_border=True)),
        ("on_hard", replace(QUIET, context=165_000)),
        ("auto", replace(QUIET, context=165_000, is_cold=True)),
    ],
)
def test_each_trigger_has_a_switch(switch: str, load: PromptLoad) -> None:
    alone = replace(CONFIG, on_price=False, on_cold=False, on_soft=False, on_hard=False)
    only = CONFIG if switch == "auto" else replace(alone, **{switch: True})
    assert trigger_due(load, only, PRICE) is not None
    assert trigger_due(load, replace(only, **{switch: False}), PRICE) is None


def test_nothing_is_compacted_that_would_not_halve() -> None:
    assert trigger_due(replace(enough(QUIET, 9), next=25_000, at_border=True), CONFIG, PRICE) is None
    assert trigger_due(replace(QUIET, context=170_000, next=140_000), CONFIG, PRICE) is None


def test_subscribers_count_tokens_so_it_pays_sooner() -> None:
    some = replace(QUIET, excess=30_000, at_border=True)
    assert not pays(some, PRICE)
    assert pays(some, PER_TOKEN)
    assert trigger_due(some, replace(CONFIG, counts="tokens"), PRICE) is Trigger.PAYS


def test_what_will_be_due_soon_is_near() -> None:
    assert is_near(enough(QUIET, 0.5), CONFIG, PRICE)
    assert is_near(QUIET, CONFIG, PRICE)  # the cache may go cold at any time
    assert not is_near(replace(QUIET, context=20_000), CONFIG, PRICE)
