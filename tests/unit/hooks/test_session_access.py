"""The session of an event: after a compaction, only what a patch needs is derived before the client goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.engine.engine import Engine
from clew.hooks.event import read_event
from clew.hooks.session_access import SessionAccess
from tests.assistant_files import claude_file

pytestmark = pytest.mark.stores("memory")


def derived(engine: Engine, path: Path, name: str, **fields: str) -> bool:
    told = {"hook_event_name": name, "session_id": path.stem, "transcript_path": str(path), **fields}
    session = SessionAccess(engine).session_of(read_event("claude-code", name, json.dumps(told).encode()))
    assert session is not None
    return session._ledger._projector.state(session._ledger.key, "messages") is not None


def test_after_a_compaction_what_a_patch_does_not_need_waits(engine: Engine) -> None:
    assert not derived(engine, claude_file("s1", "first"), "SessionStart", source="compact")
    assert not derived(engine, claude_file("s2", "first"), "PostCompact")
    assert derived(engine, claude_file("s3", "first"), "SessionStart", source="resume")
