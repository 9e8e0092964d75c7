"""Long work shows progress on a terminal, and nowhere else."""

from __future__ import annotations

import os
import pty
import subprocess

import pytest

import clew
from clew.config import Config
from tests.effort import first
from tests.journeys.program import Program
from tests.work import work


def on_a_terminal(program: Program, *arguments: str) -> tuple[str, str]:
    """What stands on stdout, and what the terminal that stderr is shows."""
    parent, child = pty.openpty()
    env = program.env | {"TERM": "xterm"}
    done = subprocess.run(
        [*program.command, *arguments], stdout=subprocess.PIPE, stderr=child, env=env, cwd=program.folder, check=False
    )
    os.close(child)
    shown = os.read(parent, 1 << 16).decode(errors="replace")  # a terminal hands out so much, in the midst of a letter
    os.close(parent)
    return done.stdout.decode(), shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    first(
        [
            (["rebuild"], "rebuilding"),
            (["doctor"], "checking"),
            (["compact", "work", "--budget", "4000"], "compacting work"),
        ]
    ),
)
def test_long_work_shows_progress_on_a_terminal(clew_program: Program, arguments: list[str], said: str) -> None:
    with clew.open(clew_program.store, config=Config()) as engine:
        engine.session("work").record(work(12))
    out, shown = on_a_terminal(clew_program, *arguments)
    assert said in shown
    assert said not in out
    assert arguments[0] != "compact" or "%" not in shown  # nobody knows how long it takes
    assert clew_program(*arguments).err == ""
