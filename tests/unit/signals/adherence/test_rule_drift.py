"""How rules are kept: drift and wording."""

from __future__ import annotations

from clew.domain import RuleState
from clew.signals.adherence.rule_drift import by_wording, drift_score, judge
from clew.signals.checks.compiler import Turn, Verdict


def test_nothing_broken_is_no_drift():
    assert drift_score([]) == 0.0


def test_one_broken_rule_warns_and_three_are_critical():
    assert [drift_score(["instruction"] * count) for count in (1, 2, 3)] == [0.3, 0.51, 0.657]


def test_a_preference_weighs_half():
    assert drift_score(["preference"]) == 0.15


def test_the_topic_alone_stays_below_a_warning():
    assert [drift_score([], topic) for topic in (0.5, 0.8, 1.0, 7.0)] == [0.0, 0.125, 0.25, 0.25]


def test_contradictions_add_up_by_their_scores():
    assert drift_score([], 0.0, [1.0, 0.5]) == 0.2137


def test_wording_is_kept_or_unknown_and_never_broken():
    rule = "Focus on memory safety and thread pools"
    told = Turn(reply="Memory safety comes first; the thread pool is second.", message="m2")
    assert by_wording(rule, told) == Verdict(rule=rule, state=RuleState.KEPT, score=0.8, message="m2")
    assert by_wording(rule, Turn(reply="Something else entirely.")).state is RuleState.UNKNOWN


def test_a_rule_that_forbids_is_not_judged_by_its_words():
    assert (
        by_wording("Avoid needless memory copies", Turn(reply="No needless memory copies.")).state is RuleState.UNKNOWN
    )


def test_a_rule_is_judged_by_a_check_where_there_is_one():
    assert judge("Never use emojis", Turn(reply="Done 🎉"), kind="preference").kind == "preference"
    assert judge("Never use emojis", Turn(reply="Done 🎉")).state is RuleState.BROKEN
    assert judge("Think of the reader", Turn(reply="Done 🎉")).state is RuleState.UNKNOWN
