"""Rules on words: those to use, and to avoid."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, check_for, evaluate

PROSE = (
    "The store keeps each entry in a log. Readers fold it when they open a session. Nothing is ever removed from it."
)


LONG = " ".join([PROSE] * 12)


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, CheckedTurn(request=request, reply=reply, message="m2", is_final=final)).state


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        ('Never use the word "simply"', PROSE, "You simply open the log."),
        ("Avoid saying “you're absolutely right”", PROSE, "You’re absolutely right, it is the log."),
        ("Stop apologizing", PROSE, "I apologize for the mix-up with the log."),
        ('Include the words "log" and "fold" in your answer', PROSE, "It is kept elsewhere."),
        ('End every message with "Onwards."', f"{PROSE} Onwards.", PROSE),
        ("Start each reply with the word OK", f"OK. {PROSE}", PROSE),
        ("Don't call me Boss", PROSE, "Here you are, Boss."),
    ],
)
def test_words_are_looked_for(rule: str, kept: str, broken: str):
    assert (state(rule, kept), state(rule, broken)) == (RuleState.KEPT, RuleState.BROKEN)


def test_some_of_the_words_are_neither_kept_nor_broken():
    assert state("Include the keywords 'log', 'index' and 'cache' in your answer", "The log.") is RuleState.UNKNOWN
