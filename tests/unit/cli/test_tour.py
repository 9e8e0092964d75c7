from __future__ import annotations

from clew.cli.tour import Stop


def test_a_stop_shows_the_first_lines_and_counts_the_rest() -> None:
    stop = Stop("All of them:", "clew sessions", 0, "one\n\nthree\nfour")
    assert stop.text(lines=3) == "All of them:\n$ clew sessions\n  one\n\n  three\n  … 1 more line\n"
    assert stop.text(lines=2).endswith("  … 2 more lines\n")
    assert stop.text(lines=4).endswith("  four\n")
