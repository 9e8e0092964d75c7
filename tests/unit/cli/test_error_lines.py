from __future__ import annotations

import pytest
from typer import TyperException

from clew.cli.app import program
from clew.cli.error_lines import error_line, told_of_usage
from clew.errors import NotFound, UsageError


def test_the_command_line_has_its_own_next_step() -> None:
    error = NotFound("no session 'a'", hint="engine.sessions() lists them", about="session")
    assert error_line(error) == "no session 'a'; `clew sessions` lists them, and a path must name a file"
    assert error_line(UsageError("no such kind", hint="there are {a} and b")) == "no such kind; there are {a} and b"
    assert error_line(UsageError("a\nb\x1b[31m")) == "a b"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["frobnicate"], "no such command 'frobnicate'; `clew --help` lists what it takes"),
        (["impot", "x"], "no such command 'impot'. Did you mean 'import'? `clew --help` lists what it takes"),
        (["drift"], "missing argument 'SOURCE'; `clew drift --help` lists what it takes"),
        (["show", "a", "--zzz"], "no such option: --zzz; `clew show --help` lists what it takes"),
        (["check", "a"], "missing option '--for'; `clew check --help` lists what it takes"),
        (["pack", "a", "--budget"], "option '--budget' requires an argument; `clew pack --help` lists what it takes"),
        (["pins", "a", "b"], "got unexpected extra argument (b); `clew pins --help` lists what it takes"),
        (["profile", "frob"], "no such command 'frob'; `clew profile --help` lists what it takes"),
        (
            ["pack", "a", "--budget", "ten"],
            "invalid value for '--budget': 'ten' is not a whole number; `clew pack --help` lists what it takes",
        ),
    ],
)
def test_wrong_usage_is_one_line_with_the_command_and_the_next_step(arguments: list[str], said: str) -> None:
    with pytest.raises(TyperException) as caught:
        program()(arguments, prog_name="clew", standalone_mode=False)
    assert told_of_usage(caught.value, arguments).line == said
    assert caught.value.exit_code == 2
