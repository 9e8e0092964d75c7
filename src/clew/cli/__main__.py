"""Entry point of `clew`. Errors that Clew raises on purpose become one line on stderr and an exit code."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from clew.cli.error_lines import Told

_INTERRUPTED = 130


def main() -> None:
    """Runs the program and exits. A ClewError has its own exit code, wrong usage 2, any OSError 5, an
    interrupt 130.

    When the reader of the output goes away, as ``head`` does, the program ends quietly with 0.
    """
    if _is_started_by_client(sys.argv[1:]):
        return
    streams = (sys.stdout, sys.stderr)
    if _is_plain_mcp(sys.argv[1:]):
        from clew.mcp_server.front import receive

        if not receive():
            return
    try:
        code = _run(streams)
    except KeyboardInterrupt:
        code = _INTERRUPTED
    has_reader = [_is_flushed(stream) for stream in streams]
    sys.exit(code if all(has_reader) else 0)


def _is_started_by_client(arguments: list[str]) -> bool:
    """Answers hooks and the status line, which wait for no command line to load; False for everything else."""
    if arguments[:1] not in (["hook"], ["statusline"]) or {"-h", "--help"} & {*arguments} or sys.stdin.isatty():
        return False
    from clew.hooks.program import run_hook, run_statusline

    run_hook(arguments[1:]) if arguments[0] == "hook" else run_statusline(arguments[1:])
    return True


def _is_plain_mcp(arguments: list[str]) -> bool:
    """True for `clew mcp` as clients start it; whatever else is typed is read as every command is."""
    if arguments[:1] != ["mcp"] or not _names_store(arguments[1:]) or sys.stdin.isatty():
        return False
    from importlib.util import find_spec

    return find_spec("mcp") is not None


def _names_store(options: list[str]) -> bool:
    """True for no options, and for a store alone."""
    if len(options) == 2:
        return options[0] == "--store"
    return not options or (len(options) == 1 and options[0].startswith("--store="))


def _run(streams: tuple[TextIO, TextIO]) -> int | str | None:
    """Runs the command that was typed, and returns the exit code."""
    import io

    from typer import Abort, TyperException

    from clew.cli.app import program
    from clew.cli.error_lines import Told, describe_error, safe_line, told_of_usage
    from clew.errors import ClewError

    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows that, and nothing breaks
            stream.reconfigure(errors="backslashreplace")
    try:
        code = int(program()(prog_name="clew", standalone_mode=False) or 0)
        is_told = code == _INTERRUPTED and not _runs_on(sys.argv[1:])
        return _fail(Told("interrupted", "what was stored until then stays"), code) if is_told else code
    except SystemExit as done:
        return 0 if isinstance(done.__context__, BrokenPipeError) else done.code
    except ClewError as error:
        return _fail(describe_error(error), error.exit_code)
    except TyperException as error:
        return _fail(told_of_usage(error, sys.argv[1:]), 2)
    except Abort:  # the input ended where an answer was asked for
        return _fail(Told("no answer was given", "nothing was done"), 1)
    except BrokenPipeError:
        return 0
    except OSError as error:
        message = f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"
        return _fail(Told(safe_line(message)), 5)


def _runs_on(arguments: list[str]) -> bool:
    """True for commands that run until they are interrupted."""
    return arguments[:1] in (["chat"], ["serve"], ["mcp"]) or bool({"--watch", "--follow"} & {*arguments})


def _fail(message: Told, code: int) -> int:
    """Says what went wrong; to whoever asked for JSON, as an object."""
    try:
        sys.stderr.write(f"{message.json if '--json' in sys.argv[1:] else f'clew: {message.line}'}\n")
    except BrokenPipeError:
        return 0
    return code


def _is_flushed(stream: TextIO) -> bool:
    """Writes out what is left; False if nobody reads it, and what is left then goes nowhere."""
    try:
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


if __name__ == "__main__":
    main()
