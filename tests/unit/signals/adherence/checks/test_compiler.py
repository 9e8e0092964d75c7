"""Which sentences become checks, and which are left to readers."""

from __future__ import annotations

import pytest

from clew.signals.adherence.checks.compiler import check_for


@pytest.mark.parametrize(
    "sentence",
    [
        "don't worry about the tests",
        "never mind",
        "don't forget to update the docs",
        "Don't use technical jargon",
        "We decided to use a database",
        "Explain it like I'm five",
        "do not print anything",
        "Use array index instead of map key",
        "If the session has no agent, do not commit",
        "Do not merge it until the other branch is reconciled",
        "Do not commit generated files or local settings",
        "It always exits with 10 words left",
        'The header has no idea what "foo" is.',
        "Adding a JSON response is safe since the client parses any JSON output.",
        "You may use Markdown in your answers.",
        "All callers now use `open_all()` instead of `open()`",
        "Never use nested bullets.",
        "Don't add unnecessary comments.",
        "Functions should be at most 20 lines",
        "Limit titles to 60 characters",
        "Ask each question in a clear paragraph form.",
        "",
        "?" * 2_000,
    ],
)
def test_no_check_is_made_of_what_no_program_can_check(sentence: str):
    assert check_for(sentence) is None


def test_a_rule_that_leaves_room_is_never_broken():
    check = check_for("Use tables in your answers whenever possible")
    assert check is not None
    assert check.is_hedged


def test_a_rule_for_a_topic_knows_its_topic():
    check = check_for("Always use bullet points when I ask about release notes")
    assert check is not None
    assert check.topic == {"releas", "not"}


@pytest.mark.parametrize(
    ("polite", "plain"),
    [
        ("From now on, please always answer in German.", "Answer in German."),
        ("I'd like you to keep your answers under 50 words", "keep your answers under 50 words"),
        ("Please make sure that you never use emojis", "never use emojis"),
        ("In this project, you must not use lodash", "do not use lodash"),
        ("- Don’t use lodash", "don't use lodash"),
    ],
)
def test_politeness_changes_nothing(polite: str, plain: str):
    one, other = check_for(polite), check_for(plain)
    assert one is not None
    assert other is not None
    assert one.demands == other.demands


@pytest.mark.parametrize(
    "sentence", ["unless i ask " * 60, "don't " * 120, "use " * 150, "'" * 600, "`a` " * 150, "1-" * 300]
)
def test_hostile_sentences_are_read_in_one_go(sentence: str):
    found = check_for(sentence)
    assert found is None or found.demands
