"""Corrections about files that a command replaced after they were edited."""

from __future__ import annotations

from clew.domain import Message
from clew.summary_patch.contradicted_names import replaced_texts
from clew.summary_patch.edit_places import read_edit_history
from tests.unit.history.work_map.examples import edit_call, tool_call
from tests.unit.summary_patch.examples import numbered, summary_of, texts, work_of

STEPS = [
    *edit_call("/shop/test_cart.py", "x = 1", "def test_rounding_of_tax(): ..."),
    *tool_call("Bash", "", command="git checkout -- test_cart.py"),
]


def lost(summary: str, *messages: Message) -> list[str]:
    steps = numbered(*messages)
    return texts(replaced_texts(steps, read_edit_history(steps, root="/shop"), summary_of(summary), work_of(*messages)))


def test_what_a_summary_names_though_its_text_was_taken_away_is_corrected() -> None:
    assert lost("Added `test_rounding_of_tax`.", *STEPS) == [
        'the summary says "Added `test_rounding_of_tax`."; records show: `git checkout -- test_cart.py` (m3) replaced'
        " test_cart.py, and nothing has shown test_rounding_of_tax (m1) since"
    ]


def test_what_the_summary_does_not_name_needs_no_correction() -> None:
    assert lost("Worked on the tests.", *STEPS) == []


def test_what_was_seen_or_written_again_is_not_lost() -> None:
    seen = tool_call("Bash", "test_rounding_of_tax PASSED", command="pytest -v")
    again = edit_call("/shop/test_cart.py", "x = 1", "def test_rounding_of_tax(): ...")
    assert lost("Added `test_rounding_of_tax`.", *STEPS, *seen) == []
    assert lost("Added `test_rounding_of_tax`.", *STEPS, *again) == []
