"""The command line as a whole: what it documents, and what it does without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.cli.app import program

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
