"""What is asked and settled, by wording."""

from __future__ import annotations

import pytest

from clew.digests.statements import ask_in, decisions_in, questions_in, statements_in


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        ("Hi! This is the shop. Could you please find the slow query? Thanks.", "find the slow query?"),
        ("Good point. Leave the cache. Let's rename the table instead.", "rename the table instead."),
        ("The page is blank in Safari.", "The page is blank in Safari."),
        ("Implement the following plan:\n\n# Lazy reader\n\nDetails.", "Lazy reader"),
        ("Stop, not there!", "Stop, not there!"),
        ("yes", "yes"),
        ("", ""),
    ],
)
def test_the_sentence_that_asks_is_found(words: str, ask: str) -> None:
    assert ask_in(words)[0] == ask


def test_people_decide_and_their_questions_do_not() -> None:
    said = statements_in("We stay on SQLite. Please don't print names. Should we use Go? I don't know why it fails.")
    assert list(decisions_in(said, person=True)) == ["We stay on SQLite.", "Please don't print names."]


def test_an_assistant_decides_by_choosing_not_by_announcing() -> None:
    text = "I'll use the Read tool first. Let me look. I went with SQLite instead of Postgres. We could use Redis."
    assert list(decisions_in(statements_in(text), person=False)) == ["I went with SQLite instead of Postgres."]


def test_questions_are_told_from_the_rest() -> None:
    said = statements_in("All done here. Expiry still needs a test. Shall I write it?")
    assert list(questions_in(said)) == ["Shall I write it?"]
