"""What a SOURCE names: the one session of a file, one of several, or none, with the words to type next."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clew.cli.app import app
from clew.errors import ClewError, NoConversation, NotFound, UsageError
from tests.lines import CONVERSATION, jsonl

DAYS = ("04", "05", "06")
NAMES = [f"2026-03-{day}T05-06-07" for day in DAYS]
#: Every command that reads a file, as it is typed with FILE in place of the file.
COMMANDS = [
    "show FILE",
    "export FILE --to openai-chat",
    "check FILE --for anthropic",
    "pack FILE --budget 20000",
    "compact FILE --preview",
    "health FILE",
    "drift FILE",
    "pins FILE",
]
#: check judges all sessions of a file, and need not choose.
CHOOSING = [command for command in COMMANDS if not command.startswith("check")]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chats = [f"# aider chat started at 2026-03-{day} 05:06:07\n\n#### day {day}  \n\nyes\n" for day in DAYS]
    (tmp_path / "chats.md").write_text("\n".join(chats))
    (tmp_path / "session.jsonl").write_bytes(jsonl(CONVERSATION))
    monkeypatch.chdir(tmp_path)


def run(monkeypatch: pytest.MonkeyPatch, command: str) -> Any:
    """Runs a command in this process; what it raises on purpose is raised here."""
    monkeypatch.setattr(sys, "argv", ["clew", *command.split()])
    done = CliRunner().invoke(app, command.split())
    if isinstance(done.exception, ClewError):
        raise done.exception
    return done


@pytest.mark.parametrize("command", COMMANDS)
def test_one_of_several_sessions_is_named_after_the_file(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    assert run(monkeypatch, command.replace("FILE", f"chats.md#{NAMES[1]}")).exit_code == 0


@pytest.mark.parametrize("command", CHOOSING)
def test_a_file_of_several_says_the_next_command(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    with pytest.raises(UsageError) as error:
        run(monkeypatch, command.replace("FILE", "chats.md"))
    assert all(f"{name} (2 messages)" in str(error.value) for name in NAMES)
    typed = str(error.value).rpartition("type: clew ")[2]
    assert typed == command.replace("FILE", f"'chats.md#{NAMES[2]}'")
    assert run(monkeypatch, typed.replace("'", "")).exit_code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_a_format_overrides_what_the_file_looks_like(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    typed = command.replace("FILE", "session.jsonl")
    with pytest.raises(NoConversation, match="no message that codex understands"):
        run(monkeypatch, f"{typed} --format codex")
    with pytest.raises(UsageError, match="no format 'codecs'"):
        run(monkeypatch, f"{typed} --format codecs")


def test_a_session_of_a_file_is_found_by_its_name_id_or_the_start_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (NAMES[1], "2026-03-05"):
        assert "day 05" in run(monkeypatch, f"show chats.md#{name} m1").output
    listed = run(monkeypatch, "sessions chats.md --json").output
    id = next(line.split('"')[3] for line in listed.splitlines() if NAMES[0] in line)
    assert "day 04" in run(monkeypatch, f"show chats.md#{id} m1").output
    with pytest.raises(UsageError, match="names 3 sessions"):
        run(monkeypatch, "show chats.md#2026")
    with pytest.raises(NotFound, match=f"no session '2027' in chats.md; there are {NAMES[0]}"):
        run(monkeypatch, "show chats.md#2027")


def test_the_sessions_of_a_file_are_listed_as_they_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = run(monkeypatch, "sessions chats.md").output
    assert [f"chats.md#{name}" in listed for name in NAMES] == [True] * 3


@pytest.mark.parametrize(
    ("command", "kind", "said"),
    [
        ("show gone.jsonl", NotFound, "no file gone.jsonl"),
        ("show ./gone", NotFound, "no file ./gone"),
        ("show gone", NotFound, "no session 'gone': none is stored yet"),
        ("show .", ClewError, "is a folder"),
        ("show empty.jsonl", NoConversation, "empty.jsonl is empty"),
        ("show binary.jsonl", NoConversation, "binary.jsonl is binary"),
        ("show latest --format codex", UsageError, "latest is no file"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, kind: type[ClewError], said: str
) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "binary.jsonl").write_bytes(b"\x7fELF" + bytes(range(256)))
    with pytest.raises(kind, match=said) as error:
        run(monkeypatch, command)
    assert "\n" not in str(error.value)
