"""Runs commands of the program, each in a process of its own that is forked once everything is imported.

Started as ``python -m tests.journeys.forked_commands NUMBER``, with the file descriptor of a socket, it takes one
command after the other as a line of JSON: its words, environment and folder, the files that are its stdin, stdout and
stderr, and the ``place`` at which it is interrupted: it is sent the signal of ctrl-c when it calls that function. With
no file for stdout it writes to a pipe that nobody reads. Answers each with its exit code.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from pkgutil import walk_packages
from typing import Any, NoReturn

import clew

ROOT = Path(__file__).parents[2]


class ForkedCommands:
    """The process that forks, as tests speak to it."""

    def __init__(self) -> None:
        own, other = socket.socketpair()
        places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places)), "PYTHONUTF8": "1"}
        command = [sys.executable, "-m", __name__, str(other.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[other.fileno()], env=env, stdin=subprocess.DEVNULL)
        other.close()
        self._lines, self._turn = own.makefile("rw", encoding="utf-8"), threading.Lock()
        atexit.register(self._process.kill)

    def run(
        self,
        words: Sequence[str],
        *,
        files: tuple[Path, Path | None, Path],
        env: Mapping[str, str],
        cwd: Path,
        place: str = "",
    ) -> int:
        """Runs a command to its end and returns its exit code. ``files`` are its stdin, stdout and stderr."""
        command = {"words": words, "files": files, "env": env, "cwd": cwd, "place": place}
        with self._turn:
            self._lines.write(json.dumps(command, default=str) + "\n")
            self._lines.flush()
            return int(json.loads(self._lines.readline()))


@cache
def forked_commands() -> ForkedCommands:
    """Returns the process that forks for the tests of this one."""
    return ForkedCommands()


def _interrupt_in(place: str) -> None:
    """Sends ctrl-c when a function is called: module, class (may be empty) and name, separated by colons."""
    module, owner, name = place.split(":")
    holder = getattr(import_module(module), owner) if owner else import_module(module)
    whole = getattr(holder, name)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return whole(*arguments, **named)

    setattr(holder, name, interrupted)


def _become(command: dict[str, Any]) -> None:
    """Makes this process the program that a command starts."""
    given, out, errors = command["files"]
    os.dup2(os.open(given, os.O_RDONLY), 0)
    if out:
        os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
    else:
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
    os.environ.clear()
    os.environ.update(command["env"])
    os.chdir(command["cwd"])
    sys.argv = ["clew", *command["words"]]
    if command["place"]:
        _interrupt_in(command["place"])


def _warm_up() -> None:
    """Loads what every command loads, so that it is not done again in each process."""
    for module in walk_packages(clew.__path__, "clew."):
        if not module.name.startswith(("clew.adapters.", "clew.gateway.litellm")):  # no command loads a framework
            import_module(module.name)
    with clew.open(":memory:") as engine:
        engine.count("the table of tokens is built once")
    with redirect_stdout(StringIO()), suppress(SystemExit):
        import_module("clew.cli.app").program()(["profile", "show", "--store", ":memory:"], standalone_mode=False)
    gc.freeze()  # a process that ends looks for garbage only in what is its own


def _serve(connection: socket.socket) -> dict[str, Any] | None:
    """Forks for each command. Returns it in the process that is to run it, and None where no more come."""
    lines = connection.makefile("rw", encoding="utf-8")
    for line in iter(lines.readline, ""):
        command: dict[str, Any] = json.loads(line)
        child = os.fork()
        if not child:
            connection.close()
            return command
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        lines.write(f"{code}\n")
        lines.flush()
    return None


def _run() -> NoReturn:
    """Runs the program and ends this process: as the interpreter would, but for taking apart all that was imported, of
    which the process would need a copy of its own first. That takes longer than most commands.
    """
    code: str | int | None = 0
    try:
        import_module("clew.cli.__main__").main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    # The two are private, and all that the interpreter does before it takes modules apart.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


if __name__ == "__main__":
    _warm_up()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    if asked:
        _become(asked)
        _run()
