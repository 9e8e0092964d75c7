"""Where Claude Code keeps its sessions."""

from __future__ import annotations

from pathlib import Path

from clew.assistants.claude_code import ClaudeCode
from tests.assistant_files import claude_file, claude_line, written


def sessions(folder: str) -> set[str]:
    return {one.session for one in ClaudeCode().of_folder(Path(folder))}


def test_folders_that_are_named_alike_are_told_apart() -> None:
    claude_file("s1", "hello", folder="/srv/my-shop")
    claude_file("s2", "hello", folder="/srv/my/shop")
    assert (sessions("/srv/my-shop"), sessions("/srv/my/shop")) == ({"s1"}, {"s2"})


def test_a_session_that_says_nothing_yet_belongs_to_its_folder() -> None:
    claude_file("s1")
    assert sessions("/srv/shop") == {"s1"}


def test_a_long_name_is_found_whatever_its_hash() -> None:
    folder = "/srv/" + "very-" * 60
    claude_file("s1", "hello", folder=folder)
    assert sessions(folder) == {"s1"}


def test_a_folder_may_be_named_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    claude_file("s1", "hello", folder=str(tmp_path / "real"))
    assert sessions(str(tmp_path / "link")) == {"s1"}


def test_subagents_write_beside_the_session_or_below_it() -> None:
    path = claude_file("s1", "hello")
    below = written(path.with_suffix("") / "subagents" / "agent-a1.jsonl", [claude_line("look", isSidechain=True)])
    beside = written(path.with_name("agent-a2.jsonl"), [claude_line("look", isSidechain=True)])
    written(path.with_name("agent-a3.jsonl"), [claude_line("look", session="s2", isSidechain=True)])
    transcript = ClaudeCode().read(path)
    assert transcript is not None
    assert ClaudeCode().subagents(transcript) == [below, beside]
    assert sessions("/srv/shop") == {"s1"}
