"""Runs commands of the program, each in a process of its own that is forked once everything is imported.

Started as ``python -m tests.journeys.forked_commands COMMANDS``, with a JSON list of objects: the words of a command,
what stands on its stdin, and the ``place`` at which it is interrupted: it is sent the signal of ctrl-c when it calls
that function. Without a place it writes to a pipe that nobody reads. Prints a JSON list with an exit code and what
stood on stderr for each.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pkgutil import walk_packages
from typing import Any

import clew


def interrupt_in(place: str) -> None:
    """Sends ctrl-c when a function is called: module, class (may be empty) and name, separated by colons."""
    module, owner, name = place.split(":")
    holder = getattr(import_module(module), owner) if owner else import_module(module)
    whole = getattr(holder, name)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return whole(*arguments, **named)

    setattr(holder, name, interrupted)


def run(command: dict[str, Any]) -> tuple[int, str]:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(command["stdin"].encode())
        given.seek(0)
        reader, writer = os.pipe()
        if not command["place"]:
            os.close(reader)
        child = os.fork()
        if not child:
            for number, file in enumerate((given.fileno(), writer, errors.fileno())):
                os.dup2(file, number)
            if command["place"]:
                interrupt_in(command["place"])
            sys.argv = ["clew", *command["words"]]
            import_module("clew.cli.__main__").main()
            sys.exit()
        os.close(writer)
        status = os.waitpid(child, 0)[1]
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), errors.read().decode()


def warm_up() -> None:
    """Loads what every command loads, so that it is not done again in each process."""
    for module in walk_packages(clew.__path__, "clew."):
        if not module.name.startswith("clew.adapters."):  # no command loads a framework
            import_module(module.name)
    with clew.open(":memory:") as engine:
        engine.count("the table of tokens is built once")
    with redirect_stdout(StringIO()), suppress(SystemExit):
        import_module("clew.cli.app").program()(["profile", "show", "--store", ":memory:"], standalone_mode=False)
    gc.freeze()  # a process that ends looks for garbage only in what is its own


if __name__ == "__main__":
    warm_up()
    print(json.dumps([run(command) for command in json.loads(sys.argv[1])]))
