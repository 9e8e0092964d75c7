"""What the head of a file says, and that it is read again where it did not say enough yet."""

from __future__ import annotations

import json
from pathlib import Path

from clew.assistants.file_head import head_facts, head_object
from tests.assistant_files import claude_file, claude_line, codex_file


def test_a_head_that_grows_is_read_again_until_it_says_all(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(b'{"type":"queue-operation","sessionId":"s1","operation":"enqueue"}\n')
    assert (head_facts(path, "claude-code").session, head_facts(path, "claude-code").cwd) == ("s1", "")
    with path.open("ab") as file:
        file.write(json.dumps(claude_line("hello")).encode() + b"\n")
    assert head_facts(path, "claude-code").cwd == "/srv/shop"


def test_a_file_that_replaces_another_is_read_anew() -> None:
    path = claude_file("s1", "hello")
    assert head_facts(path, "claude-code").cwd == "/srv/shop"
    claude_file("s2", "hello", folder="/srv/other").rename(path)
    assert head_facts(path, "claude-code").cwd == "/srv/other"


def test_what_cannot_be_read_says_nothing(tmp_path: Path) -> None:
    assert head_facts(tmp_path / "none.jsonl", "codex").session == ""
    assert head_object(tmp_path) == {}
    assert head_object(codex_file("x1", "hi"))["payload"]["id"] == "x1"
