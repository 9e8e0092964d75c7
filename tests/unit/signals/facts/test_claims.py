"""Facts are drawn from statements with what they are about, and from nothing else."""

from __future__ import annotations

import pytest

from clew.signals.facts.claims import Claim, ClaimKind, facts_of
from clew.signals.facts.clauses import MAX_CHARS, MAX_CLAUSES, clauses_of
from clew.text.stems import statement_stem


def told(text: str, kind: ClaimKind) -> list[tuple[set[str], str, set[str], bool]]:
    claims = [claim for claim in facts_of(text) if claim.kind is kind]
    return [(set(one.subject), one.attribute, set(one.value), one.negated) for one in claims]


def test_a_number_is_a_fact_about_what_stands_around_it() -> None:
    assert told("The upload limit is 50 MB.", ClaimKind.QUANTITY) == [
        ({"upload", "limit"}, "bytes", {"50000000.0"}, False)
    ]


def test_a_choice_is_a_fact_of_its_class_and_what_is_turned_down_is_denied() -> None:
    assert told("We use Postgres instead of MySQL for billing.", ClaimKind.CHOICE) == [
        ({"use", "bill"}, "database", {statement_stem("postgres")}, False),
        ({"use", "bill"}, "database", {statement_stem("mysql")}, True),
    ]


def test_an_opposite_is_a_fact() -> None:
    assert told("Telemetry is off by default.", ClaimKind.POLE) == [
        ({"telemetry", "default"}, "switch", {"off"}, False)
    ]


def test_a_preposition_is_no_switch() -> None:
    assert told("There is no index on the email column.", ClaimKind.POLE) == []


def test_what_was_never_done_is_one_fact_and_each_part_of_it_another() -> None:
    never = told("I've never written a plugin or used the debugger.", ClaimKind.EXPERIENCE)
    assert [(subject, attribute) for subject, attribute, _, _ in never] == [
        ({"plugin", "use", "debugger"}, "writ"),
        ({"plugin"}, "writ"),
        ({"use", "debugger"}, "writ"),
    ]


@pytest.mark.parametrize("text", ["I haven't checked the cache.", "We never deploy on Fridays.", "It never arrived."])
def test_what_is_said_of_today_or_as_a_rule_is_no_experience(text: str) -> None:
    assert told(text, ClaimKind.EXPERIENCE) == []


def test_a_name_is_a_fact_and_a_call_is_none() -> None:
    assert told("The main branch is called trunk.", ClaimKind.SLOT) == [({"main", "branch"}, "named", {"trunk"}, False)]
    assert told("The handler is called by the hook.", ClaimKind.SLOT) == []


@pytest.mark.parametrize("text", ["Is the port 8080?", "Can you open port 8080 for me", "What port do we use?", ""])
def test_questions_claim_nothing(text: str) -> None:
    assert facts_of(text) == ()


def test_code_rows_and_logs_claim_nothing() -> None:
    text = '```\nport = 8080\n```\n| port | 8080 |\n{"port": 8080, "host": "a", "path": "/x/y", "z": [1]}'
    assert facts_of(text) == ()


def test_a_fact_knows_its_clause() -> None:
    text = "Please look. The port is 8080, because 8000 was taken."
    claims = [claim for claim in facts_of(text) if claim.kind is ClaimKind.QUANTITY]
    assert [(one.said, one.sentence, text[slice(*one.span)]) for one in claims] == [
        ("8080", "The port is 8080,", "The port is 8080, "),
        ("8000", "because 8000 was taken.", "because 8000 was taken."),
    ]


def test_the_number_of_a_step_is_a_name() -> None:
    assert told("Step 3 is done and line 40 is fixed.", ClaimKind.QUANTITY) == []


def test_of_a_change_only_the_new_value_counts() -> None:
    assert [value for _, _, value, _ in told("I cut the timeout from 30 to 10 seconds.", ClaimKind.QUANTITY)] == [
        {"10.0"}
    ]


def test_a_clause_after_a_question_may_tell_something() -> None:
    asks = [clause.asks for clause in clauses_of("Can you explain pods, since I've never used Kubernetes?")]
    assert asks == [True, False]


def test_a_long_text_is_read_to_a_limit() -> None:
    text = "The port of the server is 8080. " * 5_000
    assert len(clauses_of(text)) == MAX_CLAUSES
    assert facts_of(text[:MAX_CHARS]) == facts_of(text)


def test_other_languages_do_no_harm() -> None:
    for text in ("Der Server läuft auf Port 8080.", "服务器使用端口8080。", "Nous n'avons jamais utilisé Docker."):
        assert all(isinstance(claim, Claim) for claim in facts_of(text))
