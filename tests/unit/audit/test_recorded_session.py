"""A session file as an audit reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.audit.recorded_session import read_sessions
from clew.errors import NoConversation, NotFound
from tests.audited_session import Lines, shop
from tests.lines import jsonl


def test_messages_have_the_ids_that_an_import_gives_them(tmp_path: Path) -> None:
    path = shop().write(tmp_path / "s1.jsonl")
    session = read_sessions(str(path)).sessions[0]
    with clew.open(":memory:") as engine:
        engine.import_file(path)
        stored = engine.find("s1").recall(["m3", "m11"])
    assert [session.messages[number - 1].id for number in (3, 11)] == [part.id for part in stored]
    assert session.lines[8] == 9  # the line before it says that the client compacted
    assert [(mark.after, mark.before, mark.automatic) for mark in session.marks] == [(7, 150_000, True)]


def test_a_summary_without_a_mark_is_a_compaction_too(tmp_path: Path) -> None:
    lines = shop()
    lines.lines = [line for line in lines.lines if line.get("subtype") != "compact_boundary"]
    assert [mark.after for mark in read_sessions(str(lines.write(tmp_path / "s1.jsonl"))).sessions[0].marks] == [7]


def test_broken_lines_are_listed_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    lines = jsonl(shop().lines).split(b"\n")
    path.write_bytes(b"\n".join([*lines[:3], b'{"type": "user", broken', *lines[3:], b'{"type": "us']))
    found = read_sessions(str(path))
    assert len(found.sessions[0].messages) == 15
    assert [one.line for one in found.skipped] == [4, len(lines) + 2]


def test_files_without_a_conversation_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "picture.jsonl").write_bytes(b"\x89PNG\r\n" + bytes(range(256)) * 8)
    lines = Lines()
    lines.add("progress", "", type="progress")
    lines.write(tmp_path / "silent.jsonl")
    for name in ("empty", "picture", "silent"):
        with pytest.raises(NoConversation):
            read_sessions(str(tmp_path / f"{name}.jsonl"))
    with pytest.raises(NotFound):
        read_sessions(str(tmp_path / "none.jsonl"))
