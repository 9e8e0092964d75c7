"""How rules are kept: drift and wording."""

from __future__ import annotations

import pytest

from clew.domain import Call, RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, Verdict, by_wording, is_checkable, judge
from clew.signals.adherence.checks.rule import clauses_of
from tests.unit.signals.adherence.checks.calls import edit, run


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


@pytest.mark.parametrize(
    ("rule", "call"),
    [
        ("Always use JWT, never touch schema.sql.", edit("schema.sql", "a", "b")),
        ("Never push on Fridays and never run git push --force.", run("git push --force origin main")),
        ("Answer in English. Do not use npm.", run("npm install")),
    ],
)
def test_a_rule_is_broken_by_one_of_its_clauses(rule: str, call: Call):
    assert judge(rule, CheckedTurn(request="Go on", reply="Done.", calls=(call,))).state is RuleState.BROKEN


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        ("请始终使用中文回答,不要使用任何外部库。", "好的，我会用中文回答，并推荐使用 requests 库来完成这个任务。"),
        ("Antworte immer auf Deutsch und verwende keine Fremdwörter.", "Gern, ich antworte dir ab jetzt auf Deutsch."),
        ("Never use emojis, and always think of the reader.", "Done."),
    ],
)
def test_a_rule_is_not_kept_by_one_of_its_clauses(rule: str, reply: str):
    assert is_checkable(rule)
    assert judge(rule, CheckedTurn(reply=reply)).state is RuleState.UNKNOWN


def test_a_rule_is_kept_where_all_of_its_clauses_are():
    rule = "Never use emojis, and do not use tables."
    assert judge(rule, CheckedTurn(reply="Done.")).state is RuleState.KEPT


@pytest.mark.parametrize(
    "rule",
    [
        "Use pnpm, never npm.",
        "Never commit, and never push unless I ask.",
        "When writing SQL, never use semicolons and always use capitals.",
        "In tests, use pytest and never use unittest.",
        "Commit messages must be in English and never use emojis.",
    ],
)
def test_what_holds_for_all_of_a_rule_keeps_it_whole(rule: str):
    assert clauses_of(rule) == (rule,)
