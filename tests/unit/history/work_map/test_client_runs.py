"""Checks that a client runs by itself and tells of in words."""

from __future__ import annotations

from dataclasses import replace

from clew.domain import Message, Origin
from clew.history.work_map.commands import client_runs
from clew.units.state_lines import state_lines
from tests.builders import says, user
from tests.unit.history.work_map.examples import work_map_of

_EDIT = "till/tax.py\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```"
_FAILED = (
    "Applied edit to till/tax.py\n\nTest Script: conda run -n shop ./tests/runtests.py till.tests;\n"
    "/lib/menu.py:3: SyntaxWarning: a literal\nFAIL: test_tax (till.tests.TaxTest)\nFAILED (failures=1)\n"
    "[shop] Return Code: 1\n\n>>>>> Some Tests Failed\nAttempt to fix test errors? yes\n19265 prompt tokens"
)
_PASSED = (
    "Applied edit to till/tax.py\n\nTest Script: conda run -n shop ./tests/runtests.py till.tests;\n"
    "Ran 3 tests in 0.1s\n\nOK\n[shop] Return Code: 0\n19265 prompt tokens"
)


def _client(text: str) -> Message:
    return replace(user(text), origin=Origin.CLIENT)


def test_a_test_that_aider_ran_and_that_failed_is_open() -> None:
    assert state_lines(work_map_of(user("Round the tax"), says(_EDIT), _client(_FAILED))) == [
        "failed, not seen to pass since (m3): `conda run -n shop ./tests/runtests.py till.tests` → "
        "FAIL: test_tax (till.tests.TaxTest)",
        "no commit seen in this session",
    ]


def test_it_is_over_when_aider_saw_it_pass_after_the_edit() -> None:
    work = work_map_of(user("Round the tax"), says(_EDIT), _client(_FAILED), says(_EDIT), _client(_PASSED))
    assert "passed (m5): `conda run -n shop ./tests/runtests.py till.tests`" in state_lines(work)
    assert work.open_failures == ()


def test_what_a_person_had_run_in_the_chat_is_taken_with_its_output() -> None:
    told = "I ran this command:\n\npytest -q\n\nAnd got this output:\n\n1 passed in 0.1s"
    assert [(command, output.text) for command, output in client_runs(told)] == [("pytest -q", "1 passed in 0.1s")]


def test_the_words_of_others_run_nothing() -> None:
    assert state_lines(work_map_of(user(_FAILED), says(_FAILED))) == []
