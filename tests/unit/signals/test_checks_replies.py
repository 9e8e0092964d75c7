"""What rules ask of replies: length, form, words, language, elements."""

from __future__ import annotations

import pytest

from clew.domain import RuleState
from clew.signals.checks import Turn, Verdict, check_for, evaluate

PROSE = (
    "The store keeps each entry in a log. Readers fold it when they open a session. Nothing is ever removed from it."
)
LONG = " ".join([PROSE] * 12)
BULLETS = "Here are the parts:\n\n- the log\n- the index\n- the cache\n"
TABLE = "| part | size |\n|---|---|\n| log | 3 |\n"


def state(rule: str, reply: str, *, request: str = "How does the store work?", final: bool = True) -> RuleState:
    check = check_for(rule)
    assert check is not None, rule
    return evaluate(check, Turn(request=request, reply=reply, message="m2", is_final=final)).state


def test_a_verdict_names_rule_evidence_and_message():
    check = check_for("Never use emojis.", "preference")
    assert check is not None
    assert evaluate(check, Turn(reply="All done 🎉", message="m7")) == Verdict(
        rule="Never use emojis.", state=RuleState.BROKEN, score=0.0, evidence="🎉", message="m7", kind="preference"
    )


# ── length ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "rule",
    [
        "Keep your answers under 100 words.",
        "Please keep responses to 3 sentences or less",
        "Never write more than two paragraphs",
        "Answer in one sentence.",
        "Don't exceed 80 words in your replies.",
        "Limit your reply to at most 300 characters",
        "I want answers between 10 and 30 words",
        "respond in no more than two lines",
    ],
)
def test_a_reply_far_over_a_limit_breaks_it(rule: str):
    paragraphs = "\n\n".join([LONG] * 4)
    assert state(rule, paragraphs) is RuleState.BROKEN


@pytest.mark.parametrize(
    ("rule", "reply"),
    [
        ("Keep your answers under 100 words.", PROSE),
        ("Please keep responses to 3 sentences or less", PROSE),
        ("Write at least 50 words", LONG),
        ("Never write more than two paragraphs", f"{PROSE}\n\n{PROSE}"),
        ("Is the response limited to 25 words?", PROSE),
        ("Give me exactly 3 options", "1. log\n2. index\n3. cache"),
        ("Keep each bullet under 10 words in your answer", BULLETS),
    ],
)
def test_a_reply_within_its_length_keeps_the_rule(rule: str, reply: str):
    assert state(rule, reply) is RuleState.KEPT


def test_a_little_over_the_limit_is_no_breach():
    assert state("Keep your answers under 20 words.", PROSE) is not RuleState.BROKEN


def test_an_opening_line_and_a_closing_offer_do_not_count():
    reply = f"Sure, here is a short summary of it:\n\n{PROSE}\n\nWould you like me to go into the index as well?"
    assert state("Answer in 3 sentences", reply) is RuleState.KEPT


def test_brevity_without_a_number_is_never_broken():
    assert state("Please be concise.", PROSE) is RuleState.KEPT
    assert state("Please be concise.", "\n\n".join([LONG] * 9)) is RuleState.UNKNOWN


def test_what_is_said_between_two_calls_is_no_answer():
    assert state("Write at least 500 words", "Let me look at the log.", final=False) is RuleState.NOT_APPLICABLE


def test_a_reply_that_asks_back_is_not_judged_as_an_answer():
    reply = "I notice you haven't said which store you mean. Could you tell me its name?"
    assert state("Reply with valid JSON only", reply) is RuleState.UNKNOWN


# ── form ─────────────────────────────────────────────────────────────────────────────────────────────


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
        ("End each answer with a question", "It is in the log. Shall we go on?", LONG),
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


# ── words ────────────────────────────────────────────────────────────────────────────────────────────


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


def test_what_is_not_quoted_may_be_mentioned_in_passing():
    assert state("Do not mention competitors", "Unlike competitors, we keep it.") is RuleState.UNKNOWN


def test_the_names_of_a_template_show_that_it_is_followed():
    rule = "Follow the template: '[Problem]... [Cause]... [Fix]...'"
    assert state(rule, f"Problem: {PROSE}\n\nCause: {PROSE}\n\nFix: {PROSE}") is RuleState.KEPT
    assert state(rule, LONG) is RuleState.UNKNOWN


# ── language and elements ────────────────────────────────────────────────────────────────────────────

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


def test_an_element_is_due_only_when_the_request_is_about_the_topic():
    rule = "Always include version numbers when I ask about dependencies."
    asked = "Which dependencies do we have?"
    assert state(rule, LONG) is RuleState.NOT_APPLICABLE
    assert state(rule, LONG, request=asked) is RuleState.BROKEN
    assert state(rule, "We use orjson 3.10 and rich 13.9.", request=asked) is RuleState.KEPT


def test_dates_are_written_the_way_that_was_asked_for():
    rule = 'Always format dates as "YYYY-MM-DD" in your answers'
    assert state(rule, "It was released on 2024-03-01.") is RuleState.KEPT
    assert state(rule, "It was released on March 1, 2024.") is RuleState.BROKEN
    assert state(rule, "It was released.") is RuleState.NOT_APPLICABLE


# ── hostile replies ──────────────────────────────────────────────────────────────────────────────────

HOSTILE = ["a" * 200_000, "- " * 100_000, "|-" * 100_000, "`" * 100_000, "[" * 100_000 + "{" * 100_000]
HOSTILE += ["**x" * 60_000, "1. \n" * 60_000, "```\n" * 50_000, "'" * 100_000, "é " * 100_000, ":" * 100_000]


@pytest.mark.parametrize("reply", HOSTILE, ids=lambda reply: reply[:4].strip())
@pytest.mark.parametrize(
    "rule",
    [
        "Answer in one sentence.",
        "Reply with valid JSON only",
        "Use bullet points in your answers",
        "Follow the template: '[Problem]... [Cause]... [Fix]...'",
        "Always respond in German.",
        'Never use the word "simply"',
        "no emojis please",
    ],
)
def test_hostile_replies_are_read_to_a_cap(rule: str, reply: str):
    assert state(rule, reply) in set(RuleState)
