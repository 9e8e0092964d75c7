"""Where Codex keeps its rollouts."""

from __future__ import annotations

from pathlib import Path

from clew.assistants.codex import Codex
from tests.assistant_files import codex_file


def test_a_subagent_is_not_what_a_person_works_in() -> None:
    codex_file("x1", "hello")
    codex_file("x2", "look", source={"subagent": {"thread_spawn": {"parent_thread_id": "x1", "depth": 1}}})
    assert [one.session for one in Codex().of_folder(Path("/srv/shop"))] == ["x1"]


def test_a_first_line_longer_than_a_head_is_read() -> None:
    path = codex_file("x1", "hello")
    path.write_bytes(path.read_bytes().replace(b'"source":', b'"git": "' + b"x" * 100_000 + b'", "source":', 1))
    assert [one.session for one in Codex().of_folder(Path("/srv/shop"))] == ["x1"]


def test_a_damaged_rollout_is_passed_over() -> None:
    codex_file("x1", "hello").write_bytes(b'{"timestamp": "2026')
    assert list(Codex().of_folder(Path("/srv/shop"))) == []
