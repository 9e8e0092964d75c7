"""Rules on what a reply has to hold."""

from __future__ import annotations

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import Turn, check_for, evaluate

PROSE = (
    "The store keeps each entry in a log. Readers fold it when they open a session. Nothing is ever removed from it."
)


LONG = " ".join([PROSE] * 12)


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, Turn(request=request, reply=reply, message="m2", is_final=final)).state


def test_an_element_is_due_only_when_the_request_is_about_the_topic():
    rule = "Always include version numbers when I ask about dependencies."
    asked = "Which dependencies do we have?"
    assert state(rule, LONG) is RuleState.NOT_APPLICABLE
    assert state(rule, LONG, request=asked) is RuleState.BROKEN
    assert state(rule, "We use orjson 3.10 and rich 13.9.", request=asked) is RuleState.KEPT


def test_dates_are_written_the_way_that_was_asked_for():
    rule = 'Always format dates as "YYYY-MM-DD" in your answers'
    assert state(rule, "It was released on 2024-03-01.") is RuleState.KEPT
    assert state(rule, "It was released on March 1, 2024.") is RuleState.BROKEN
    assert state(rule, "It was released.") is RuleState.NOT_APPLICABLE
