"""Entry point of `clew`. Errors that Clew raises on purpose become one line on stderr and an exit code."""

from __future__ import annotations

import io
import os
import sys


def main() -> None:
    """Runs the program. A ClewError exits with its own code, an OSError with 5, an interrupt with 130."""
    from clew.cli.app import app
    from clew.errors import ClewError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows that, and nothing breaks
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except ClewError as error:
        from clew.text.terminal import safe

        sys.stderr.write(f"clew: {safe(' '.join(str(error).split()))}\n")
        sys.exit(error.exit_code)
    except OSError as error:
        if isinstance(error, BrokenPipeError):  # the reader of our output went away, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0)
        sys.stderr.write(f"clew: {error.strerror or error}{f': {error.filename}' if error.filename else ''}\n")
        sys.exit(5)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
