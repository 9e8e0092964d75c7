"""The bench of the MCP server measures each tool, the start and catching up."""

from __future__ import annotations

import pytest
from bench import mcp_tools
from bench.__main__ import BENCHES


def test_tools_start_and_catching_up_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_tools, "transcripts", lambda _kind: [])
    monkeypatch.setattr(mcp_tools, "_TRANSCRIPT_BYTES", 1)
    found = {figure.name: figure for figure in mcp_tools.run(long=40, rounds=1, starts=1)}
    assert {"health", "search", "retrieve, full", "story", "health, by folder", "start to first answer"} <= set(found)
    assert all(figure.value > 0 and figure.goal for figure in found.values())
    assert BENCHES["mcp"] is mcp_tools.run
