"""Where Gemini CLI keeps its recordings."""

from __future__ import annotations

from pathlib import Path

from clew.assistants.gemini_cli import GeminiCli
from tests.assistant_files import gemini_file


def test_an_older_form_of_a_recording_counts_once() -> None:
    newer = gemini_file("g1", "hello", at=200)
    gemini_file("g1", "hello", at=100).rename(newer.with_suffix(".json"))
    gemini_file("g1", "hello", at=200)
    assert [one.path for one in GeminiCli().of_folder(Path("/srv/shop"))] == [newer]


def test_the_recording_of_a_subagent_is_no_session() -> None:
    path = gemini_file("g1", "hello")
    inner = path.parent / "g1" / "session-a.jsonl"
    inner.parent.mkdir()
    inner.write_bytes(path.read_bytes())
    assert GeminiCli().read(inner) is None
