"""Rules on form: lists, tables, JSON and the like are seen, and elements that a reply has to hold."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.adherence.checks.compiler import CheckedTurn, check_for, evaluate

PROSE = (
    "The store keeps each entry in a log. Readers fold it when they open a session. Nothing is ever removed from it."
)


LONG = " ".join([PROSE] * 12)


BULLETS = "Here are the parts:\n\n- the log\n- the index\n- the cache\n"


TABLE = "| part | size |\n|---|---|\n| log | 3 |\n"


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, CheckedTurn(request=request, reply=reply, message="m2", is_final=final)).state


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        ("Reply with valid JSON only", '{"parts": 3}', LONG),
        ("Respond in JSON format", '```json\n{"parts": 3}\n```', LONG),
        ("Present the answer as a table", TABLE, LONG),
        ("Use bullet points in your answers", BULLETS, LONG),
        ("Don't use bullet points", PROSE, BULLETS),
        ("Never use tables in your replies", PROSE, TABLE),
        ("Please don't use markdown in your replies", PROSE, f"## Parts\n\n**log** {PROSE}"),
        ("Answers in plain text please", PROSE, f"## Parts\n\n**log** {PROSE}"),
        ("no emojis please", PROSE, "Done ✅"),
        ("avoid em dashes", PROSE, "The log — and the index."),
        ("Do not use exclamation marks", PROSE, "Great! It works."),
        ("please write everything in lowercase", "the log keeps it.", LONG),
        ("Write in ALL CAPS in every reply", "THE LOG KEEPS IT.", LONG),
        ("Return only code, no explanations", "```py\nx = 1\n```", f"```py\nx = 1\n```\n{LONG}"),
    ],
)
def test_forms_are_seen(rule: str, kept: str, broken: str):
    assert (state(rule, kept), state(rule, broken)) == (RuleState.KEPT, RuleState.BROKEN)


def test_a_form_for_a_purpose_is_asked_for_only_there():
    rule = "Always use tables for comparisons"
    assert state(rule, LONG, request="Where is the log?") is RuleState.NOT_APPLICABLE
    assert state(rule, LONG, request="Give me a comparison of both stores") is RuleState.BROKEN


def test_a_sentence_or_two_need_no_list():
    assert state("Use bullet points in your answers", PROSE) is RuleState.UNKNOWN
    assert state("Use bullet points in your answers", "- Redis it is.") is RuleState.KEPT
