"""The command line as a whole: what it documents, and what it does without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from clew.cli.app import program
from clew.cli.coding_assistants.client_setup import client_named

DOCUMENTED = (Path(__file__).parents[3] / "docs" / "commands.md").read_text()


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every command, by what is typed to call it."""
    below = getattr(command, "commands", {})
    yield from [] if below else [(path, command)]
    for name, inner in below.items():
        yield from commands(inner, f"{path} {name}")


COMMANDS = dict(commands(program(), "clew"))


#: What these write is what their client expects.
SPEAK_TO_CLIENTS = {"clew mcp", "clew hook", "clew statusline"}


@pytest.mark.parametrize("path", COMMANDS)
def test_every_option_of_every_command_is_documented(path: str) -> None:
    section = DOCUMENTED.partition(f"\n## {path}\n")[2].partition("\n## ")[0]
    names = [name for parameter in COMMANDS[path].params for name in parameter.opts if name.startswith("-")]
    assert names
    assert [name for name in names if f" {name}" not in section] == []
    assert "-h, --help" in section


@pytest.mark.parametrize("path", [path for path in COMMANDS if path not in SPEAK_TO_CLIENTS])
def test_every_command_speaks_json(path: str) -> None:
    assert "--json" in [name for parameter in COMMANDS[path].params for name in parameter.opts]


def test_values_are_read_without_pydantic_and_rich() -> None:
    code = (
        "import sys; from clew.cli.app import program; sys.argv = ['clew', 'show', 'x', 'm1', '--as', 'word'];"
        "from clew.errors import UsageError\n"
        "try: program()(standalone_mode=False)\n"
        "except UsageError as error: print(error.exit_code, [m for m in ('pydantic', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "2 []"


@pytest.mark.parametrize("words", [["sessions", "--limit", "-1"], ["search", "x", "--limit", "1001"]])
def test_a_number_beyond_its_range_is_refused(words: list[str]) -> None:
    with pytest.raises(typer.BadParameter, match=r"less than 0|more than 1000"):
        program()(words, prog_name="clew", standalone_mode=False)


@pytest.mark.parametrize(("name", "client"), [("claude", "claude-code"), ("gemini", "gemini-cli"), ("codex", "codex")])
def test_a_client_may_be_named_by_its_program(name: str, client: str) -> None:
    assert client_named(name) == client
