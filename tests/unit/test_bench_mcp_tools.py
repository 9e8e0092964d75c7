"""The bench of the MCP server measures each tool, the start and catching up."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import mcp_tools as mcp
from bench.__main__ import BENCHES

from tests.lines import CONVERSATION, jsonl


@pytest.mark.thorough
def test_tools_start_and_catching_up_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = tmp_path / "sample.jsonl"
    small.write_bytes(jsonl(CONVERSATION))
    monkeypatch.setattr(mcp, "sample", lambda: small)
    monkeypatch.setattr(mcp, "transcripts", lambda _kind: [])
    monkeypatch.setattr(mcp, "_TRANSCRIPT_BYTES", 1)
    monkeypatch.setattr(mcp, "_CALLS", {name: mcp._CALLS[name] for name in ("health", "retrieve, full")})
    found = {figure.name: figure for figure in mcp.run(long=40, rounds=1, starts=1)}
    assert {"health", "retrieve, full", "health, by folder", "start to first answer"} <= set(found)
    assert all(figure.value > 0 and figure.goal for figure in found.values())
    assert BENCHES["mcp"] is mcp.run
