"""Where a chat is read from and written to: a terminal with the health bar under the prompt, or lines of a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from clew.cli.figures import shows_tokens
from clew.cli.output import colour_text, size
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.domain import Health

_PROMPT, _BAR = "> ", 16
#: Ends of control sequences: one line up, and all from here on cleared.
_UP, _CLEAR = "\x1b[A\r", "\r\x1b[J"


class Screen:
    """Reads lines and writes what is said. Without a terminal there is no prompt and no bar; one that ``is_silent``
    only reads, as if there were none.
    """

    def __init__(self, *, is_silent: bool = False) -> None:
        self.is_silent = is_silent
        self._is_begun = False
        self.is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not is_silent
        if self.is_terminal:
            import readline  # noqa: F401 (input() edits lines with it)

    def read(self, health: Callable[[], Health]) -> str | None:
        """Returns the next line; None at the end of the input. The bar shows the ``health`` of then."""
        from clew.cli.health import window_level

        if not self.is_terminal:
            line = sys.stdin.readline()
            return line.rstrip("\n") if line else None
        report = health()
        line = colour_text(_fitting(health_line(report)), window_level(report.utilization))
        sys.stdout.write(f"\n{line}{_UP}")
        sys.stdout.flush()
        try:
            return input(_PROMPT)
        except EOFError:
            return None
        finally:
            sys.stdout.write(_CLEAR)
            self._is_begun = False

    def write(self, text: str) -> None:
        """Writes a text at once, as it is."""
        if not self.is_silent:
            sys.stdout.write(text)
            sys.stdout.flush()
            self._is_begun = not text.endswith("\n") if text else self._is_begun

    def end(self, text: str) -> None:
        """Writes the last of a reply, and ends its line if one was begun."""
        self.write(text)
        if self._is_begun:
            self.write("\n")


def _fitting(line: str) -> str:
    """A line cut to the width of the terminal: on two it could not be cleared."""
    from shutil import get_terminal_size

    return line[: get_terminal_size().columns - 1]


def health_line(found: Health) -> str:
    """Returns the health of a session as one line."""
    filled = min(round(_BAR * found.utilization), _BAR)
    numbers = f" ({size(found.tokens_used)}/{size(found.tokens_limit)})" if shows_tokens() else ""
    drift = f" · drift {found.drift_score:.2f}" if found.drift_detected else ""
    bar = "█" * filled + "░" * (_BAR - filled)
    items = pluralise(found.critical_items, "critical item")
    return f"{bar} {found.utilization:.0%}{numbers} · {found.health}{drift} · {items} · /help"
