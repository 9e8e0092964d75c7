"""How far work is from its topic."""

from __future__ import annotations

import pytest

from clew.signals.adherence.drift import topic_drift

OBJECTIVE = "Make the invoice parser read Swiss dates and currency symbols"


ON = ["Changed parser/invoice.py so that Swiss dates are read", "ran pytest tests/test_invoice.py"]


OFF = ["Restyled the login page with a darker palette", "edited theme.css and buttons.css"]


def test_work_on_the_objective_is_no_drift():
    assert topic_drift(OBJECTIVE, ON) == 0.0


def test_work_on_neither_objective_nor_request_is_drift():
    assert topic_drift(OBJECTIVE, OFF, "and add a test for the currency symbols please") == 1.0


def test_a_change_of_task_by_the_person_is_no_drift():
    assert topic_drift(OBJECTIVE, OFF, "Now restyle the login page with a darker palette") == 0.0


@pytest.mark.parametrize(("objective", "recent"), [("", OFF), (OBJECTIVE, []), ("do it now", OFF), (OBJECTIVE, [""])])
def test_too_few_words_tell_nothing(objective: str, recent: list[str]):
    assert topic_drift(objective, recent) == 0.0


def test_rare_words_tell_more_than_words_of_every_text():
    common = {"pars", "read", "invoic"}
    recent = ["the parser reads an invoice, then prints rows, totals, taxes and notes for every clerk"]
    assert topic_drift(OBJECTIVE, recent) < topic_drift(
        OBJECTIVE, recent, df=lambda stem: 1.0 if stem in common else 0.1
    )
