"""How rules are kept over time: lapses, drift, reminders; wording; topic."""

from __future__ import annotations

import pytest

from clew.signals.adherence import Reminder, by_wording, drift_score, judge, lapsed, reminders
from clew.signals.adherence_topic import topic_drift
from clew.signals.checks import State, Turn, Verdict


def verdict(rule: str, state: State, message: str = "m1", kind: str = "instruction") -> Verdict:
    return Verdict(rule=rule, state=state, message=message, kind=kind)


def broken(rule: str, message: str = "m1", kind: str = "instruction") -> Verdict:
    return verdict(rule, State.BROKEN, message, kind)


def kept(rule: str, message: str = "m1") -> Verdict:
    return verdict(rule, State.KEPT, message)


# ── lapses and drift ─────────────────────────────────────────────────────────────────────────────────


def test_a_lapse_lasts_until_the_rule_is_kept_again():
    history = [kept("a"), broken("a", "m2"), broken("b", "m3"), broken("a", "m4"), kept("b", "m5")]
    assert lapsed(history) == (broken("a", "m2"),)


def test_nothing_broken_is_no_drift():
    assert drift_score([kept("a"), verdict("b", State.UNKNOWN), verdict("c", State.NOT_APPLICABLE)]) == 0.0


def test_one_broken_rule_warns_and_three_are_critical():
    rules = [broken("a"), broken("b"), broken("c")]
    scores = [drift_score(rules[:count]) for count in (1, 2, 3)]
    assert scores == [0.3, 0.51, 0.657]


def test_a_preference_weighs_half():
    assert drift_score([broken("a", kind="preference")]) == 0.15


def test_the_topic_alone_stays_below_a_warning():
    assert [drift_score([], topic) for topic in (0.5, 0.8, 1.0, 7.0)] == [0.0, 0.125, 0.25, 0.25]


def test_contradictions_add_up_by_their_scores():
    assert drift_score([], 0.0, [1.0, 0.5]) == 0.2137


# ── reminders ────────────────────────────────────────────────────────────────────────────────────────


def test_a_broken_rule_is_reminded_of_once_a_lapse():
    history = [broken("a", "m2"), broken("a", "m4")]
    first = reminders(history)
    assert first == (Reminder("a", "a@m2", True, "m2"),)
    assert reminders([*history, broken("a", "m6")], given={"a@m2"}) == ()


def test_a_new_lapse_is_a_new_reminder():
    history = [broken("a", "m2"), kept("a", "m3"), broken("a", "m9")]
    assert reminders(history, given={"a@m2"}) == (Reminder("a", "a@m9", True, "m9"),)


def test_a_rule_untouched_for_long_is_brought_back_once():
    idle = [verdict("a", State.NOT_APPLICABLE, f"m{at}") for at in range(2, 6)]
    history = [kept("a", "m1"), *idle]
    assert reminders(history, untouched_turns=4) == (Reminder("a", "a@idle:m1", False, "m1"),)
    assert reminders(history, untouched_turns=4, given={"a@idle:m1"}) == ()
    assert reminders(history, untouched_turns=5) == ()


def test_broken_rules_come_first_and_newest_first_and_there_are_few():
    history = [verdict("idle", State.UNKNOWN), *(broken(rule, f"m{at}") for at, rule in enumerate("abcd", 2))]
    assert [one.rule for one in reminders(history, untouched_turns=1)] == ["d", "c", "b"]


# ── wording ──────────────────────────────────────────────────────────────────────────────────────────


def test_wording_is_kept_or_unknown_and_never_broken():
    rule = "Focus on memory safety and thread pools"
    told = Turn(reply="Memory safety comes first; the thread pool is second.", message="m2")
    assert by_wording(rule, told) == Verdict(rule=rule, state=State.KEPT, score=0.8, message="m2")
    assert by_wording(rule, Turn(reply="Something else entirely.")).state is State.UNKNOWN


def test_a_rule_that_forbids_is_not_judged_by_its_words():
    assert by_wording("Avoid needless memory copies", Turn(reply="No needless memory copies.")).state is State.UNKNOWN


def test_a_rule_is_judged_by_a_check_where_there_is_one():
    assert judge("Never use emojis", Turn(reply="Done 🎉"), kind="preference").kind == "preference"
    assert judge("Never use emojis", Turn(reply="Done 🎉")).state is State.BROKEN
    assert judge("Think of the reader", Turn(reply="Done 🎉")).state is State.UNKNOWN


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
    recent = ["the parser reads an invoice"]
    assert topic_drift(OBJECTIVE, recent) < topic_drift(
        OBJECTIVE, recent, df=lambda stem: 1.0 if stem in common else 0.1
    )
