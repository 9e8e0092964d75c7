"""Gaps between the lines that fit name what they hold."""

from __future__ import annotations

from clew.curation.reducers import diffs, prose


def test_gaps_name_what_they_hold() -> None:
    rows = [f"vessel number {n} lies at her berth as before and waits" for n in map(chr, range(0x4E00, 0x4E00 + 80))]
    rows[40] = "vessel handled by HarborMaster.assignBerth as before and on time"

    shown = prose.reduce("\n".join(rows), 900)

    assert "HarborMaster.assignBerth" in shown


def test_gaps_name_files_even_where_there_is_little_room() -> None:
    rows = [f"vessel number {n} lies at her berth as before and waits" for n in map(chr, range(0x4E00, 0x4E00 + 80))]
    rows[40] = "vessel papers lie in the folder below, see harbour/manifest.toml there"

    assert "manifest.toml" in diffs.reduce(
        "\n".join(["diff --git a/x b/x", "@@ -1,80 +1,80 @@", *(f" {r}" for r in rows)]), 300
    )
