"""How a rule stands over time: lapses, and when to remind."""

from __future__ import annotations

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import Verdict
from clew.signals.adherence.rule_record import UNTOUCHED_TURNS, Standing


def verdict(state: RuleState, message: str, score: float = 0.5) -> Verdict:
    return Verdict(rule="a", state=state, message=message, score=score, evidence=f"in {message}")


def after(*verdicts: Verdict) -> Standing:
    how = Standing()
    for turn, one in enumerate(verdicts, 1):
        how = how.after_verdict(one, turn)
    return how


BROKEN, KEPT = RuleState.BROKEN, RuleState.KEPT


def test_a_lapse_lasts_until_the_rule_is_kept_again() -> None:
    how = after(verdict(KEPT, "m1", 1.0), verdict(BROKEN, "m2", 0.0), verdict(BROKEN, "m4", 0.0))
    assert how == Standing(
        state=BROKEN,
        score=0.0,
        message="m4",
        evidence="in m4",
        since="m2",
        times=2,
        touched=3,
        broken="m4",
        breach="in m4",
    )
    assert how.lapse(3) == "broken@m2"
    again = how.after_verdict(verdict(KEPT, "m5", 1.0), 4)
    assert (again.state, again.since, again.lapse(4)) == (KEPT, "", "")
    assert again.after_verdict(verdict(BROKEN, "m9"), 5).lapse(5) == "broken@m9"


def test_what_tells_nothing_changes_nothing_that_is_known() -> None:
    how = after(verdict(BROKEN, "m2"))
    assert how.after_verdict(verdict(RuleState.UNKNOWN, "m3"), 2) == how
    assert how.after_verdict(verdict(RuleState.NOT_APPLICABLE, "m3"), 2) == how
    assert after(verdict(RuleState.NOT_APPLICABLE, "m1")).state is RuleState.NOT_APPLICABLE


def test_a_rule_untouched_for_long_may_have_faded() -> None:
    how = after(verdict(KEPT, "m1"))
    assert how.lapse(UNTOUCHED_TURNS) == ""
    assert how.lapse(UNTOUCHED_TURNS + 1) == "idle@1"


def test_a_rule_that_is_kept_again_still_tells_where_it_was_broken() -> None:
    how = after(verdict(BROKEN, "m2", 0.0), verdict(KEPT, "m4", 1.0), verdict(KEPT, "m6", 1.0))
    assert (how.state, how.message, how.broken, how.breach) == (KEPT, "m6", "m2", "in m2")
    assert how.forgetting(2) == Standing(touched=3)
    assert how.forgetting(7) == how


def test_a_rule_that_cannot_be_judged_whole_is_not_broken_for_ever() -> None:
    how = after(verdict(BROKEN, "m2", 0.0))
    seems_kept = verdict(RuleState.UNKNOWN, "m9", 0.75)
    assert how.after_verdict(seems_kept, 2) == how
    later = how.after_verdict(seems_kept, 40)
    assert (later.state, later.since, later.broken) == (RuleState.UNKNOWN, "", "m2")
