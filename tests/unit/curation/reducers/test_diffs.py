"""Diffs: what changed stays, the rest is counted."""

from __future__ import annotations

from clew.curation.reducers import diffs


def test_a_diff_keeps_what_changed_and_counts_it() -> None:
    text = "\n".join(
        ["diff --git a/crane.py b/crane.py", "index 1..2", "--- a/crane.py", "+++ b/crane.py", "@@ -1,40 +1,41 @@"]
        + [f" same {n}" for n in range(20)]
        + ["-old", "+new", "+newer"]
        + [f" same {n}" for n in range(20, 40)]
    )

    assert diffs.reduce(text, 80) == (
        "diff crane.py +2 -1\n@@ -1,40 +1,41 @@\n… 20 lines …\n-old\n+new\n+newer\n… 20 lines …"
    )


def test_files_that_tools_write_are_only_counted_in_a_diff() -> None:
    text = "diff --git a/package-lock.json b/package-lock.json\n@@ -1 +1,2 @@\n-a\n+b\n+c"

    assert diffs.reduce(text, 1_000) == "diff package-lock.json +2 -1\n… 4 lines, made by a tool …"
