"""Sharing out: what is guaranteed first, unused shares flow on, and more is never less."""

from __future__ import annotations

from dataclasses import astuple, replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.config import PackingConfig
from clew.errors import BudgetExceeded, UsageError
from clew.packing.allocation import Allocation, Budget, Demands, budget_for
from clew.packing.inputs import InputKind

counts = st.integers(0, 5_000)
appetites = st.none() | counts
demanded = st.builds(
    Demands,
    system=counts,
    query=counts,
    knowledge=appetites,
    conversation=appetites,
)
#: Four shares that add up to 1, in hundredths.
shared = st.lists(st.integers(0, 100), min_size=3, max_size=3).map(
    lambda cuts: [(b - a) / 100 for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 100], strict=True)]
)
budgets = st.builds(lambda total, shares: Budget(total, *shares), st.integers(1, 20_000), shared)


def allocated(budget: Budget, demands: Demands) -> Allocation | None:
    try:
        return budget.allocate(demands)
    except BudgetExceeded:
        return None


# ── who gets what ────────────────────────────────────────────────────────────────────────────────────


def test_all_who_could_use_more_get_their_shares() -> None:
    demands = Demands(system=1_500, query=1_000, knowledge=None, conversation=None)
    given = Allocation(system=1_500, knowledge=4_500, conversation=3_000, query=1_000)
    assert Budget(10_000).allocate(demands) == given


def test_what_system_and_query_leave_goes_to_the_conversation() -> None:
    given = Allocation(system=100, knowledge=4_500, conversation=5_390, query=10)
    assert Budget(10_000).allocate(Demands(system=100, query=10, knowledge=None)) == given


def test_knowledge_that_is_not_there_leaves_its_share_to_the_conversation() -> None:
    given = Allocation(system=100, knowledge=0, conversation=9_890, query=10)
    assert Budget(10_000).allocate(Demands(system=100, query=10)) == given


def test_what_a_short_conversation_leaves_goes_to_knowledge() -> None:
    demands = Demands(system=100, query=10, knowledge=9_000, conversation=2_000)
    given = Allocation(system=100, knowledge=7_890, conversation=2_000, query=10)
    assert Budget(10_000).allocate(demands) == given


def test_what_nobody_can_use_is_left() -> None:
    demands = Demands(system=1, query=2, knowledge=3, conversation=4)
    given = Budget(10_000).allocate(demands)
    assert given == Allocation(system=1, knowledge=3, conversation=4, query=2)


def test_a_system_prompt_beyond_its_share_is_borne_by_the_others_in_proportion() -> None:
    demands = Demands(system=7_000, query=0, knowledge=None)
    given = Allocation(system=7_000, knowledge=1_800, conversation=1_200, query=0)
    assert Budget(10_000).allocate(demands) == given


def test_what_is_guaranteed_and_does_not_fit_is_named() -> None:
    with pytest.raises(BudgetExceeded) as caught:
        Budget(1_000).allocate(Demands(system=900, query=150))
    assert caught.value.needed == {"system": 900, "query": 150}


@given(budgets, demanded)
def test_the_sum_never_exceeds_the_total_and_no_token_is_left_that_somebody_could_use(
    budget: Budget, demands: Demands
) -> None:
    given = allocated(budget, demands)
    assume(given is not None)
    assert given
    assert min(astuple(given)) >= 0
    wants = [demands.knowledge, demands.conversation]
    usable = budget.total if None in wants else demands.system + demands.query + sum(want or 0 for want in wants)
    assert sum(astuple(given)) == min(budget.total, usable)


@given(budgets, demanded)
def test_what_is_guaranteed_is_met_or_the_budget_is_exceeded(budget: Budget, demands: Demands) -> None:
    given = allocated(budget, demands)
    assert (given is not None) == (demands.system + demands.query <= budget.total)
    if given:
        assert (given.system, given.query) == (demands.system, demands.query)


@given(budgets, demanded, st.integers(1, 500))
def test_a_larger_total_gives_nobody_less(budget: Budget, demands: Demands, more: int) -> None:
    small, large = allocated(budget, demands), allocated(replace(budget, total=budget.total + more), demands)
    assume(small is not None)
    assert small
    assert large
    assert all(a <= b for a, b in zip(astuple(small), astuple(large), strict=True))


@given(budgets, demanded)
def test_where_nobody_overruns_each_gets_at_least_its_share_of_what_it_can_use(
    budget: Budget, demands: Demands
) -> None:
    system, query = int(budget.total * budget.system), int(budget.total * budget.query)
    demands = replace(demands, system=min(demands.system, system), query=min(demands.query, query))
    given = budget.allocate(demands)
    for got, wanted, share in (
        (given.knowledge, demands.knowledge, budget.knowledge),
        (given.conversation, demands.conversation, budget.conversation),
    ):
        due = budget.total * round(share * 100) // 100
        assert got >= (due if wanted is None else min(due, wanted))


@given(budgets, demanded, counts)
def test_what_one_demands_less_the_others_get(budget: Budget, demands: Demands, less: int) -> None:
    before = allocated(budget, demands)
    after = allocated(budget, replace(demands, system=max(0, demands.system - less)))
    assume(before is not None)
    assert before
    assert after
    assert after.knowledge >= before.knowledge
    assert after.conversation >= before.conversation


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Budget(0), "a budget of 0 tokens holds nothing"),
        (lambda: Budget(100, knowledge=0.6), "must add up to 1, not 1.15"),
        (lambda: Budget(100, system=-0.1, knowledge=0.7), "must be from 0 to 1"),
        (lambda: Budget(100, system=float("nan")), "must be from 0 to 1"),
        (lambda: Demands(system=-1), "system cannot demand -1 tokens"),
    ],
)
def test_what_makes_no_sense_is_refused(make: object, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        make()  # type: ignore[operator]


# ── shares for an input ──────────────────────────────────────────────────────────────────────────────

PLAIN = "Why does login fail?"
WIDE = "Compare both retry policies, then refactor every client to one of them across all services."


def test_a_plain_query_has_the_usual_shares() -> None:
    assert budget_for(100, PLAIN, kind=InputKind.USER_QUERY) == Budget(100, 0.15, 0.45, 0.3, 0.1)


def test_a_complex_query_has_more_knowledge() -> None:
    assert budget_for(100, WIDE, kind=InputKind.USER_QUERY) == Budget(100, 0.1, 0.6, 0.2, 0.1)


def test_in_a_tool_loop_the_conversation_has_most_of_the_share_of_knowledge() -> None:
    budget = budget_for(100, WIDE, kind=InputKind.TOOL_RESPONSE)
    given = budget.allocate(Demands(system=15, query=10, knowledge=None))
    assert given == Allocation(system=15, knowledge=15, conversation=60, query=10)


def test_shares_come_from_the_settings() -> None:
    packing = PackingConfig(knowledge_share=0.2, conversation_share=0.55)
    assert budget_for(100, PLAIN, kind=InputKind.USER_FEEDBACK, packing=packing) == Budget(100, 0.15, 0.2, 0.55, 0.1)
