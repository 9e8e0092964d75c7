"""Replies that tell of something else than was chosen."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import judge
from clew.signals.adherence.checks.turn import CheckedTurn

DECIDED = "We decided to use PostgreSQL, not MySQL."


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        (DECIDED, "The database is MySQL 8."),
        (DECIDED, "I created a MySQL table called bookings."),
        ("We decided to use PostgreSQL for everything.", "I used MySQL instead of PostgreSQL."),
        ("We agreed on Tailwind for styling", "I've replaced Tailwind with Bootstrap."),
    ],
)
def test_another_choice_is_told(rule: str, reply: str) -> None:
    assert judge(rule, CheckedTurn(request="Go on.", reply=reply), kind="decision").state is RuleState.BROKEN


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        (DECIDED, "The database is PostgreSQL 16."),
        (DECIDED, "We could use MySQL, but PostgreSQL is fine."),
        (DECIDED, "This is not MySQL syntax."),
        (DECIDED, "I've replaced MySQL with PostgreSQL."),
        ("Use tabs for indentation.", "I replaced tabs with spaces."),
        ("We decided to use PostgreSQL for everything.", "You might use MySQL instead of PostgreSQL."),
    ],
)
def test_other_talk_is_not(rule: str, reply: str) -> None:
    assert judge(rule, CheckedTurn(request="Go on.", reply=reply), kind="decision").state is not RuleState.BROKEN


def test_what_was_asked_for_is_no_breach() -> None:
    turn = CheckedTurn(request="Move it to MySQL after all.", reply="The database is MySQL 8.")
    assert judge(DECIDED, turn).state is RuleState.UNKNOWN
