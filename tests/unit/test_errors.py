"""Errors of the library tell a Python caller what to do; the command line has hints of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import clew
from clew import errors
from clew.errors import ClewError, NotFound

ROOT = Path(clew.__file__).parent
LIBRARY = [path for path in sorted(ROOT.rglob("*.py")) if "cli" not in path.relative_to(ROOT).parts]
ERRORS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, ClewError)}
#: A command of ours in backquotes, or an option.
COMMAND = re.compile(r"`clew |(?<![\w-])--[a-z]")


def words(path: Path) -> Iterator[str]:
    """What the errors that a file makes say."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ERRORS:
            yield from (
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def test_an_error_says_what_and_what_to_do_next() -> None:
    error = NotFound("no session 'a'", hint="engine.sessions() lists them", about="session")
    assert str(error) == "no session 'a'; engine.sessions() lists them"
    assert (error.message, error.hint, error.about) == ("no session 'a'", "engine.sessions() lists them", "session")
    assert str(ClewError("it failed")) == "it failed"


def test_an_error_of_the_library_names_no_command() -> None:
    assert [f"{path}: {text}" for path in LIBRARY for text in words(path) if COMMAND.search(text)] == []
