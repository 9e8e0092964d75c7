"""Replies as checks read them: which are answers, what is quoted of them, and how far they are read."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, Verdict, check_for, evaluate


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, CheckedTurn(request=request, reply=reply, message="m2", is_final=final)).state


HOSTILE = ["a" * 200_000, "- " * 100_000, "|-" * 100_000, "`" * 100_000, "[" * 100_000 + "{" * 100_000]


HOSTILE += ["**x" * 60_000, "1. \n" * 60_000, "```\n" * 50_000, "'" * 100_000, "é " * 100_000, ":" * 100_000]


def test_a_verdict_names_rule_evidence_and_message():
    check = check_for("Never use emojis.", "preference")
    assert check is not None
    assert evaluate(check, CheckedTurn(reply="All done 🎉", message="m7")) == Verdict(
        rule="Never use emojis.",
        state=RuleState.BROKEN,
        score=0.0,
        evidence="All done 🎉",
        message="m7",
        kind="preference",
    )


def test_what_is_said_between_two_calls_is_no_answer():
    assert state("Write at least 500 words", "Let me look at the log.", final=False) is RuleState.NOT_APPLICABLE


def test_a_reply_that_asks_back_is_not_judged_as_an_answer():
    reply = "I notice you haven't said which store you mean. Could you tell me its name?"
    assert state("Reply with valid JSON only", reply) is RuleState.UNKNOWN


@pytest.mark.parametrize("reply", HOSTILE, ids=lambda reply: reply[:4].strip())
@pytest.mark.parametrize(
    "rule",
    [
        "Answer in one sentence.",
        "Reply with valid JSON only",
        "Use bullet points in your answers",
        "Always respond in German.",
        'Never use the word "simply"',
        "no emojis please",
    ],
)
def test_hostile_replies_are_read_to_a_cap(rule: str, reply: str):
    assert state(rule, reply) in set(RuleState)
