"""The session of an event: only what an answer needs is derived before the client goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.engine.engine import Engine
from clew.hooks.event import read_event
from clew.hooks.journal import log_path
from clew.hooks.session_access import SessionAccess
from tests.assistant_files import claude_file

pytestmark = pytest.mark.stores("memory")


def derived(engine: Engine, path: Path, name: str, **fields: str) -> bool:
    told = {"hook_event_name": name, "session_id": path.stem, "transcript_path": str(path), **fields}
    session = SessionAccess(engine).session_of(read_event("claude-code", name, json.dumps(told).encode()))
    assert session is not None
    return session._ledger._projector.state(session._ledger.key, "messages") is not None


def test_what_an_answer_does_not_need_waits(engine: Engine) -> None:
    assert not derived(engine, claude_file("s1", "first"), "SessionStart", source="compact")
    assert not derived(engine, claude_file("s2", "first"), "PostCompact")
    assert not derived(engine, claude_file("s3", "first"), "SessionStart", source="resume")
    assert not derived(engine, claude_file("s4", "first"), "PreCompact")


@pytest.mark.parametrize("name", ["UserPromptSubmit", "PostToolUse"])
def test_an_event_that_comes_often_waits_for_no_long_transcript(engine: Engine, name: str) -> None:
    path = claude_file("s1", "first", "x" * (3 << 19))
    told = {"hook_event_name": name, "session_id": "s1", "transcript_path": str(path)}
    event, access = read_event("claude-code", name, json.dumps(told).encode()), SessionAccess(engine)
    assert access.session_of(event) is None
    assert engine.infos() == []
    assert f"{name}: 3 MB of {path} are not read yet" in Path(log_path()).read_text()
    access.follow()
    assert access.session_of(event) is not None
