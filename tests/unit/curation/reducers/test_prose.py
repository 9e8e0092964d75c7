"""Prose: headings and sentences that say something."""

from __future__ import annotations

from clew.curation.reducers import prose


def test_prose_keeps_headings_and_what_tells_something() -> None:
    filler = "It was a fine day and everybody was in a good mood that day."
    text = "\n\n".join(["# Report", *[filler] * 20, "The root cause is `moor_twice` in quay.py:12.", *[filler] * 20])

    shown = prose.reduce(text, 400)

    assert shown.startswith("# Report")
    assert "The root cause is `moor_twice` in quay.py:12." in shown
