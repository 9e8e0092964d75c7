from __future__ import annotations

from clew.signals.adherence.drift import drift_score


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
