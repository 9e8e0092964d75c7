"""Which messages are understood by themselves."""

from __future__ import annotations

import pytest

from clew.retrieval.neighbours import needs_message_before
from tests.builders import call, gives, output, says, user

ASKS = says("Two ways: a queue, or a cron job. Which one?")
TELLS = says("The ferry to Harlow leaves at nine from pier four.")


@pytest.mark.parametrize(
    "text",
    ["yes, the second one", "It leaves later on Sundays, as I said.", "The queue, as it can be stopped."],
)
def test_an_answer_needs_its_question(text: str) -> None:
    assert needs_message_before(user(text), ASKS)


@pytest.mark.parametrize("text", ["They are closed on Sundays.", "Ann: That was last year in May.", "Do so."])
def test_what_goes_on_from_the_message_before_needs_it(text: str) -> None:
    assert needs_message_before(user(text), TELLS)


def test_what_says_all_of_it_stands_alone() -> None:
    assert not needs_message_before(user("Write a changelog entry for the timetable."), TELLS)
    assert not needs_message_before(user("It " + "goes on and on " * 20), ASKS)
    assert not needs_message_before(says("Yes.", call("c1", "read", path="src/ferry.py")), ASKS)


def test_a_short_output_needs_its_call() -> None:
    assert needs_message_before(gives(output("c1", "ok")), says("Testing.", call("c1", "bash", command="make test")))
    assert not needs_message_before(gives(output("c1", "It is one line of many. " * 5)), TELLS)
