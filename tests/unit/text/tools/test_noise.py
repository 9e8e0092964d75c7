"""Of an output what tells something of the work is kept."""

from __future__ import annotations

from clew.text.tools.reports import without_noise


def test_progress_notices_and_headers_of_diffs_are_left_out() -> None:
    printed = (
        "diff --git a/cart.py b/cart.py\nindex 1ab2c3d..4e5f6a7 100644\n--- a/cart.py\n+++ b/cart.py\n+total = 1\n"
        "npm notice 2.0kB cart.js\nremote: Counting objects: 3\nremote: see https://host/pull/new/fix\nhint: pull first"
    )
    assert without_noise(printed) == "+++ b/cart.py\n+total = 1\nremote: see https://host/pull/new/fix"
