"""Where `clew` starts; errors that Clew raises on purpose become one line and an exit code."""

from __future__ import annotations

import os
import sys


def main() -> None:
    from clew.cli.app import app
    from clew.errors import ClewError

    try:
        app()
    except ClewError as error:
        from clew.text.terminal import safe

        sys.stderr.write(f"clew: {safe(' '.join(str(error).split()))}\n")
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
