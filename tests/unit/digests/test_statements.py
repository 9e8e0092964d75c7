"""What is asked and settled, by wording."""

from __future__ import annotations

import pytest

from clew.digests.statements import ask_in, decisions_in, questions_in, statements_in


@pytest.mark.parametrize(
    ("words", "ask"),
    [
        ("Hi! This is the shop. Could you please find the slow query? Thanks.", "find the slow query?"),
        ("Good point. Leave the cache. Let's rename the table instead.", "rename the table instead."),
        ("I want to move the berths to the pier. Can you help me with that?", "I want to move the berths to the pier."),
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


@pytest.mark.parametrize(
    "words",
    [
        "[2024-05-01 10:00] Ana: move the berths to the north pier",
        "1:56 pm on 8 May, 2023 Caroline Bell: move the berths to the north pier",
        "2024-05-01T10:00:12Z | move the berths to the north pier",
        "(March-15-2024) move the berths to the north pier",
        "User: move the berths to the north pier",
    ],
)
def test_time_and_speaker_at_the_head_are_no_part_of_what_is_wanted(words: str) -> None:
    assert ask_in(words)[0] == "move the berths to the north pier"


@pytest.mark.parametrize("words", ["10:30 works for me and the others", "Plan: add a test for the berths"])
def test_a_time_or_a_label_that_belongs_to_the_words_stays(words: str) -> None:
    assert ask_in(words)[0] == words


def test_what_is_wanted_goes_before_how_it_is_to_be_answered() -> None:
    assert ask_in("Keep answers under 50 words. Design the booking API for berths.")[0].startswith("Design the booking")
    assert ask_in("let's not make this change here")[0] == "let's not make this change here"
    assert ask_in("[[ ## user_query ## ]]\n\nList the berths of today.")[0] == "List the berths of today."
