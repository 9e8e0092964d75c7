"""Rules on the language of replies."""

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


GERMAN = (
    "Der Speicher legt jeden Eintrag in einem Protokoll ab, und nichts davon wird jemals wieder entfernt oder ersetzt."
)


FRENCH = (
    "Le journal garde chaque entrée dans l'ordre, et rien de ce qui est dans le journal ne sera effacé par la suite."
)


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        ("Always respond in German.", GERMAN, LONG),
        ("Antworte immer auf Deutsch", GERMAN, FRENCH),
        ("Réponds toujours en français.", FRENCH, GERMAN),
        ("请用中文回答", "日志按顺序保存每一条记录，任何内容都不会被删除或者替换，这样可以随时恢复。", LONG),
        ("Don't answer in German", LONG, GERMAN),
    ],
)
def test_languages_are_told_apart(rule: str, kept: str, broken: str):
    assert (state(rule, kept), state(rule, broken)) == (RuleState.KEPT, RuleState.BROKEN)


def test_names_and_code_are_of_no_language():
    reply = "`the_and_of_to` src/the/and/of.py ```\nthe and of to is that for with this are you\n```"
    assert state("Always respond in German.", reply) is RuleState.UNKNOWN
