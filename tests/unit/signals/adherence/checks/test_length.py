"""Rules on length: a reply far over a limit breaks it, one that is about right keeps it."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, check_for, evaluate

PROSE = (
    "The store keeps each entry in a log. Readers fold it when they open a session. Nothing is ever removed from it."
)


LONG = " ".join([PROSE] * 12)


BULLETS = "Here are the parts:\n\n- the log\n- the index\n- the cache\n"


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, CheckedTurn(request=request, reply=reply, message="m2", is_final=final)).state


@pytest.mark.parametrize(
    "rule",
    [
        "Keep your answers under 100 words.",
        "Please keep responses to 3 sentences or less",
        "Never write more than two paragraphs",
        "Answer in one sentence.",
        "Don't exceed 80 words in your replies.",
        "Limit your reply to at most 300 characters",
        "I want answers between 10 and 30 words",
        "respond in no more than two lines",
    ],
)
def test_a_reply_far_over_a_limit_breaks_it(rule: str):
    paragraphs = "\n\n".join([LONG] * 4)
    assert state(rule, paragraphs) is RuleState.BROKEN


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        ("Keep your answers under 100 words.", PROSE),
        ("Please keep responses to 3 sentences or less", PROSE),
        ("Write at least 50 words", LONG),
        ("Never write more than two paragraphs", f"{PROSE}\n\n{PROSE}"),
        ("Is the response limited to 25 words?", PROSE),
        ("Give me exactly 3 options", "1. log\n2. index\n3. cache"),
        ("Keep each bullet under 10 words in your answer", BULLETS),
    ],
)
def test_a_reply_within_its_length_keeps_the_rule(rule: str, reply: str):
    assert state(rule, reply) is RuleState.KEPT


def test_a_little_over_the_limit_is_no_breach():
    assert state("Keep your answers under 20 words.", PROSE) is not RuleState.BROKEN


def test_an_opening_line_and_a_closing_offer_do_not_count():
    reply = f"Sure, here is a short summary of it:\n\n{PROSE}\n\nWould you like me to go into the index as well?"
    assert state("Answer in 3 sentences", reply) is RuleState.KEPT


def test_brevity_without_a_number_is_never_broken():
    assert state("Please be concise.", PROSE) is RuleState.KEPT
    assert state("Please be concise.", "\n\n".join([LONG] * 9)) is RuleState.UNKNOWN
