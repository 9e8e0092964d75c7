"""Logs: failures stay, forms are counted."""

from __future__ import annotations

from clew.curation.reducers import logs


def test_a_log_keeps_failures_and_counts_forms() -> None:
    rows = [f"2031-05-04 10:00:{n % 60:02d} INFO crane moved to {n}" for n in range(300)]
    rows.insert(150, "2031-05-04 10:02:30 ERROR winch 4 overheated")

    shown = logs.reduce("\n".join(rows), 600)

    assert "2031-05-04 10:02:30 ERROR winch 4 overheated" in shown
    assert shown.endswith("repeated (1 forms):\n300× INFO crane moved to <*>")
