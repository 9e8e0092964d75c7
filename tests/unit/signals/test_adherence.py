"""How rules are kept: drift, wording, topic."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence import by_wording, drift_score, judge
from clew.signals.adherence_topic import topic_drift
from clew.signals.checks import Turn, Verdict

# ── drift ────────────────────────────────────────────────────────────────────────────────────────────


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


# ── wording ──────────────────────────────────────────────────────────────────────────────────────────


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


# ── topic ────────────────────────────────────────────────────────────────────────────────────────────

OBJECTIVE = "Make the invoice parser read Swiss dates and currency symbols"
ON = ["Changed parser/invoice.py so that Swiss dates are read", "ran pytest tests/test_invoice.py"]
OFF = ["Restyled the login page with a darker palette", "edited theme.css and buttons.css"]


def test_work_on_the_objective_is_no_drift():
    assert topic_drift(OBJECTIVE, ON) == 0.0


def test_work_on_neither_objective_nor_request_is_drift():
    assert topic_drift(OBJECTIVE, OFF, "and add a test for the currency symbols please") == 1.0


def test_a_change_of_task_by_the_person_is_no_drift():
    assert topic_drift(OBJECTIVE, OFF, "Now restyle the login page with a darker palette") == 0.0


@pytest.mark.parametrize(("objective", "recent"), [("", OFF), (OBJECTIVE, []), ("do it now", OFF), (OBJECTIVE, [""])])
def test_too_few_words_tell_nothing(objective: str, recent: list[str]):
    assert topic_drift(objective, recent) == 0.0


def test_rare_words_tell_more_than_words_of_every_text():
    common = {"pars", "read", "invoic"}
    recent = ["the parser reads an invoice, then prints rows, totals, taxes and notes for every clerk"]
    assert topic_drift(OBJECTIVE, recent) < topic_drift(
        OBJECTIVE, recent, df=lambda stem: 1.0 if stem in common else 0.1
    )
