"""What an answer lacks is added, the whole fits, and what was done is told."""

from __future__ import annotations

import pytest

from clew.summaries.additions import complete_summary, files_line
from clew.summaries.values import SummaryMaterial, UnfitSummary
from tests.unit.summaries.examples import RULE, SUMMARY, count, material


def test_a_complete_answer_is_left_alone() -> None:
    assert complete_summary(SUMMARY, material(digests=()), room=600, share=0.25, count=count) == (SUMMARY, [])


def test_a_lost_item_is_added_word_for_word() -> None:
    text = SUMMARY.replace(RULE, "be careful")
    assert complete_summary(text, material(digests=()), room=600, share=0.25, count=count) == (
        f"{text}\n## Kept verbatim\n- {RULE}",
        ["1 critical items added word for word"],
    )


def test_a_few_unnamed_files_are_added_in_a_line() -> None:
    one = material(digests=(), files=("src/importer.py", "src/retry.py", "src/ledger.py"))
    assert complete_summary(SUMMARY, one, room=600, share=0.0, count=count) == (
        f"{SUMMARY}\nFiles changed: src/ledger.py",
        ["1 names of edited files added"],
    )


def test_an_answer_that_names_hardly_any_file_is_refused() -> None:
    one = material(files=tuple(f"src/f{at}.py" for at in range(9)))
    with pytest.raises(UnfitSummary, match="it names 0 of 9 edited files"):
        complete_summary(SUMMARY, one, room=600, share=0.25, count=count)


def test_items_that_find_no_room_are_told() -> None:
    keep = tuple(f"Rule {at}: " + "never change this part of it " * 8 for at in range(4))
    text, findings = complete_summary("- a short one", SummaryMaterial(keep=keep), room=200, share=0.0, count=count)
    assert count(text) <= 200
    assert findings == ["1 critical items added word for word", "3 critical items found no room"]


def test_a_text_that_is_too_long_loses_lines_and_no_section() -> None:
    room = count(SUMMARY) - 20
    text, findings = complete_summary(SUMMARY, SummaryMaterial(), room=room, share=0.0, count=count)
    assert count(text) <= room
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        line for line in SUMMARY.split("\n") if line.startswith("#")
    ]
    assert text.endswith(SUMMARY.split("\n")[-1])
    assert findings == ["1 lines cut to fit the room"]


def test_a_text_that_cannot_be_cut_is_refused() -> None:
    with pytest.raises(UnfitSummary, match="cannot be cut to 20"):
        complete_summary("- " + "all in one line " * 20, SummaryMaterial(), room=20, share=0.0, count=count)


def test_as_many_files_are_named_as_there_is_room_for() -> None:
    line = files_line([f"src/file_{at}.py" for at in range(50)], room=40, count=count)
    assert line.startswith("Files changed: src/file_0.py, src/file_1.py")
    assert count(line) <= 40
