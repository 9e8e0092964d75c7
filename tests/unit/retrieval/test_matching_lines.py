"""Which lines of a long text are shown."""

from __future__ import annotations

from clew.retrieval.words import matching_lines

LOG = "\n".join(f"line {at}: the crane swings" for at in range(5_000)) + "\nline 5000: the Lighthouse failed\nend"


def test_the_line_with_the_rare_word_is_shown_with_those_around_it() -> None:
    found = matching_lines(LOG, "did the lighthouse fail, or the crane?", chars=400)
    assert found == "… line 4999: the crane swings / line 5000: the Lighthouse failed / end"


def test_no_more_than_was_asked_for_and_nothing_without_a_match() -> None:
    assert len(matching_lines(LOG, "crane", chars=100)) <= 102
    assert matching_lines(LOG, "zebra", chars=100) == ""
    assert matching_lines("İ" * 10 + "\nzebra", "zebra", chars=100).endswith("zebra")


def test_of_a_very_long_line_the_part_around_the_match_is_shown() -> None:
    found = matching_lines("x1 " * 50_000 + "zebra " + "y1 " * 50_000, "zebra", chars=100)
    assert found.startswith("… ")
    assert " zebra y1 " in found
