"""Lines of one form are told by the first and the last."""

from __future__ import annotations

from clew.curation.reducers import commands


def test_runs_of_lines_of_one_form_are_told_by_first_and_last() -> None:
    text = "\n".join(["begin", *(f"copied {n} of 90 crates" for n in range(90)), "done"])

    assert commands.reduce(text, 2_000) == (
        "begin\ncopied 0 of 90 crates\n… 88 lines, like these …\ncopied 89 of 90 crates\ndone"
    )


def test_lines_that_differ_in_an_id_are_all_kept() -> None:
    rows = [f"snapshot {n * 7919:012x}a" for n in range(1, 30)]

    assert commands.reduce("\n".join(rows), 4_000) == "\n".join(rows)
