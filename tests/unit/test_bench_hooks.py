"""The bench of hooks measures every event that a hook answers, and the listing of tools."""

from __future__ import annotations

import os

import pytest
from bench import hooks
from bench.__main__ import BENCHES


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="CPU is counted as Unix does")
def test_the_listing_and_every_hook_are_measured() -> None:
    found = {figure.name: figure for figure in hooks.run(rounds=1, steps=1)}
    events = ("PreCompact", "SubagentStop", "SessionStart", "PostCompact", "UserPromptSubmit", "PostToolUse")
    kinds = ("no server", "no server, until answered", "alone")
    named = {f"{name}, {kind}" for name in events for kind in kinds} | {f"first hook, {kind}" for kind in kinds[:2]}
    assert set(found) == {"clew mcp, tools listed", *named}
    assert all(figure.value > 0 and figure.goal for figure in found.values())
    assert BENCHES["hooks"] is hooks.run
