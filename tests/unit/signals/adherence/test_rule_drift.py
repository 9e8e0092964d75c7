"""How rules are kept: drift and wording."""

from __future__ import annotations

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, Verdict
from clew.signals.adherence.rule_drift import by_wording, judge


def test_wording_is_kept_or_unknown_and_never_broken():
    rule = "Focus on memory safety and thread pools"
    told = CheckedTurn(reply="Memory safety comes first; the thread pool is second.", message="m2")
    assert by_wording(rule, told) == Verdict(rule=rule, state=RuleState.KEPT, score=0.8, message="m2")
    assert by_wording(rule, CheckedTurn(reply="Something else entirely.")).state is RuleState.UNKNOWN


def test_a_rule_that_forbids_is_not_judged_by_its_words():
    assert (
        by_wording("Avoid needless memory copies", CheckedTurn(reply="No needless memory copies.")).state
        is RuleState.UNKNOWN
    )


def test_a_rule_is_judged_by_a_check_where_there_is_one():
    assert judge("Never use emojis", CheckedTurn(reply="Done 🎉"), kind="preference").kind == "preference"
    assert judge("Never use emojis", CheckedTurn(reply="Done 🎉")).state is RuleState.BROKEN
    assert judge("Think of the reader", CheckedTurn(reply="Done 🎉")).state is RuleState.UNKNOWN
