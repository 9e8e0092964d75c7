"""Which sessions belong to a working folder, across assistants; and which files are never read."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.assistants.clients import LIVE_SECONDS, live, transcript_at, transcript_of, transcripts_of
from clew.errors import UnreadableSource, UsageError
from tests.assistant_files import WORK, claude_file, codex_file, gemini_file


def test_sessions_of_all_assistants_are_listed_newest_first() -> None:
    claude_file("c1", "hello", at=300)
    codex_file("x1", "hello", at=400)
    gemini_file("g1", "hello", at=200)
    gemini_file("g2", "hello", at=100, place="shop")
    claude_file("other", "hello", folder="/srv/other", at=500)
    codex_file("x2", "hello", folder="/srv/other", at=500)
    found = transcripts_of(WORK)
    assert [(one.client, one.session) for one in found] == [
        ("codex", "x1"),
        ("claude-code", "c1"),
        ("gemini-cli", "g1"),
        ("gemini-cli", "g2"),
    ]
    assert [one.session for one in transcripts_of(WORK, client="codex")] == ["x1"]


def test_the_live_ones_were_written_within_the_last_minutes() -> None:
    claude_file("old", "hello", at=1_000)
    claude_file("new", "hello", at=1_001 + LIVE_SECONDS)
    assert [one.session for one in live(transcripts_of(WORK), now=1_001 + LIVE_SECONDS)] == ["new"]


def test_a_session_is_found_by_the_id_of_its_file() -> None:
    paths = {"c1": claude_file("c1", "hi"), "x1": codex_file("x1", "hi"), "g1": gemini_file("g1", "hi")}
    assert {id: found.path for id in paths if (found := transcript_of(id))} == paths
    assert transcript_of("unknown") is None
    assert transcript_of("../c1") is None
    assert transcript_of("c1", client="codex") is None


def test_a_file_elsewhere_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(claude_file("c1", "hello").read_bytes())
    inside = claude_file("c2", "hello")
    link = inside.with_name("c3.jsonl")
    link.symlink_to(outside)
    for path in (
        outside,
        link,
        inside / ".." / ".." / ".." / "c1.jsonl",
        inside.parent,
        inside.with_name("none.jsonl"),
    ):
        with pytest.raises(UnreadableSource, match="transcripts of Claude Code"):
            transcript_at(path, client="claude-code")
    assert transcript_at(inside, client="claude-code").session == "c2"
    assert {one.session for one in transcripts_of(WORK)} == {"c1", "c2"}


def test_the_file_of_a_subagent_is_no_session() -> None:
    path = claude_file("agent-a7", "find all uses")
    with pytest.raises(UnreadableSource, match="holds no session of Claude Code"):
        transcript_at(path, client="claude-code")


def test_an_unknown_assistant_is_named() -> None:
    with pytest.raises(UsageError, match="no assistant 'emacs'; there are claude-code, codex, gemini-cli"):
        transcripts_of(WORK, client="emacs")
