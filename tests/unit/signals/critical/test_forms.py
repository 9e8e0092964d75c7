"""The form in which something was said tells what it is: a limit while refusing, a decision in an answer."""

from __future__ import annotations

import pytest

from clew.domain.critical import Candidate, ItemKind, Scope
from clew.history.person_words import PersonStatement, StatementKind
from clew.signals.critical.candidates import candidates_in
from clew.signals.critical.wordings.forms import PLAN_APPROVED
from tests.builders import call

COMMIT = call("c1", "Bash", command="git  commit -m x")


def refusing(text: str) -> tuple[Candidate, ...]:
    return candidates_in(PersonStatement(StatementKind.REFUSAL, text, "m7", call=COMMIT))


def answering(text: str) -> tuple[Candidate, ...]:
    return candidates_in(PersonStatement(StatementKind.ANSWER, text, "m7", about="Which\nport?", call=COMMIT))


@pytest.mark.parametrize(
    "text",
    [
        "no, don't check this in",
        "Don’t touch the schema.",
        "let's not make this change in this branch",
        "please do not run that again",
        "stop adding that comment",
        "I don't want that in this commit",
        "we shouldn't rename it",
    ],
)
def test_a_no_said_while_refusing_a_call_is_a_limit_of_the_task(text: str) -> None:
    (item,) = refusing(text)
    assert (item.kind, item.scope, item.text, item.source) == (ItemKind.CONSTRAINT, Scope.TASK, text, "m7")
    assert item.occasion == "said while refusing `git commit -m x`"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "don't worry about linting for now, just continue.",
        "don't you think it is too long?",
        "never mind",
        "stop here",
        "what are you doing?",
        "why don't you just clone it instead",
        "run read-tree first",
        "we already are on a branch, double check the parent",
        "I don't know",
    ],
)
def test_other_words_while_refusing_are_no_limit(text: str) -> None:
    assert refusing(text) == ()


@pytest.mark.parametrize("text", ["use port 8080 instead", "we should pick SQLite", "keep the old one"])
def test_a_choice_in_an_answer_is_a_decision_of_the_task(text: str) -> None:
    (item,) = answering(text)
    assert (item.kind, item.scope, item.text) == (ItemKind.DECISION, Scope.TASK, text)
    assert item.occasion == 'asked "Which port?"'


@pytest.mark.parametrize("text", ["8080", "#325", "Standalone copy", "should we use tabs?"])
def test_an_answer_that_cannot_be_understood_alone_is_no_item(text: str) -> None:
    assert answering(text) == ()


def test_a_rule_lasts_in_whatever_form_it_is_said() -> None:
    assert [(one.kind, one.scope) for one in refusing("never push to main")] == [(ItemKind.CONSTRAINT, Scope.PROJECT)]
    assert [(one.kind, one.scope) for one in answering("always use uv")] == [(ItemKind.INSTRUCTION, Scope.PROJECT)]


def test_a_wish_in_an_answer_is_about_the_choice_at_hand() -> None:
    assert [one.scope for one in answering("I prefer a map")] == [Scope.TASK]
    assert [one.scope for one in answering("From now on I prefer maps")] == [Scope.PROJECT]


def test_a_plan_gives_its_limits_for_the_task_and_nothing_else() -> None:
    plan = "# Move it\n\n- Never touch the ships table.\n- I prefer tabs.\n- Always run the tests.\n"
    found = candidates_in(PersonStatement(StatementKind.PLAN, plan, "m7"))
    assert [(one.kind, one.scope, one.occasion) for one in found] == [(ItemKind.CONSTRAINT, Scope.TASK, PLAN_APPROVED)]
    assert "Never touch the ships table." in found[0].text
