"""Output: JSON for programs; for people, text without secrets and without control characters."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew.text.secrets import mask, mask_strings
from clew.text.terminal import safe


def print_json(value: Any, *, unmasked: bool = False) -> None:
    """Prints one JSON value with secrets masked.

    ``unmasked`` is for packs alone: a model that reads a mask would write it into a file.
    """
    import json

    # Not orjson: numbers beyond 64 bits and file names that are no UTF-8 have to be shown as well.
    text = json.dumps(value if unmasked else mask_strings(value), indent=2, ensure_ascii=False)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def say(text: str = "") -> None:
    """Prints a line to stdout, without secrets and control characters."""
    sys.stdout.write(shown(text) + "\n")


def note(text: str) -> None:
    """Prints a line to stderr, so that the answer on stdout can be piped."""
    sys.stderr.write(shown(text) + "\n")


def shown(text: str) -> str:
    """Returns a text as terminals may show it: without secrets and control characters."""
    return mask(safe(text))


#: More of a text is cut off where it has to stand in one line.
_LINE_CHARS = 160


def one_line(text: str) -> str:
    """Joins a text into one line, cut off where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"


@contextmanager
def progress(path: str) -> Iterator[Any]:
    """Yields a function that advances a progress bar by bytes read;
    it does nothing for small files or without a terminal.
    """
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    if not sys.stderr.isatty() or size < 5_000_000:
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(shown(Path(path).name), total=size)
        yield lambda done: bar.update(task, completed=done)


def confirm(question: str) -> bool:
    """Asks a person on the terminal; the end of the input is a no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in {"y", "yes"}
    except EOFError:
        return False


def when(seconds: float | None) -> str:
    """Formats a time in UTC; a dash for none."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M") if seconds else "-"


def size(tokens: float) -> str:
    """Formats a number of tokens: in thousands from 10,000 on, in millions from a million on."""
    if tokens >= 999_950:
        return f"{tokens / 1_000_000:.1f}M"
    return f"{tokens / 1000:.1f}k" if tokens >= 10_000 else f"{tokens:.0f}"
