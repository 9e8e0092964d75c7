"""Output: JSON for programs; for people, text without secrets and without control characters."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from typing import Any


def print_json(value: Any, *, unmasked: bool = False) -> None:
    """Prints one JSON value with secrets masked.

    ``unmasked`` is for packs alone: a model that reads a mask would write it into a file.
    """
    import json

    from clew.text.secrets import mask_strings

    # Not orjson: numbers beyond 64 bits and file names that are no UTF-8 have to be shown as well.
    text = json.dumps(value if unmasked else mask_strings(value), indent=2, ensure_ascii=False)
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def say(text: str = "") -> None:
    """Prints a line to stdout, without secrets and control characters."""
    sys.stdout.write(display_text(text) + "\n")


def note(text: str) -> None:
    """Prints a line to stderr, so that the answer on stdout can be piped."""
    sys.stderr.write(display_text(text) + "\n")


def display_text(text: str) -> str:
    """Returns a text as terminals may show it: without secrets and control characters."""
    from clew.text.secrets import mask
    from clew.text.terminal import safe

    return mask(safe(text))


#: More of a text is cut off where it has to stand in one line.
_LINE_CHARS = 160


_COLOURS = {"good": 32, "warning": 33, "critical": 31}


def colour_text(text: str, level: str) -> str:
    """Returns a text in the colour of its level (good, warning, critical), where a terminal shows colours."""
    code = _COLOURS.get(level)
    return f"\x1b[{code}m{text}\x1b[0m" if code and sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def short_line(text: str) -> str:
    """Joins a text into one line, cut off where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"


#: Less than this is done before a bar could be read.
_LONG_BYTES, _MANY_FILES = 5_000_000, 20


@contextmanager
def progress(title: str, total: int | None, *, in_bytes: bool = False) -> Iterator[Callable[..., object]]:
    """Yields a function that takes how much of the total is done, and a new title, for a bar on a terminal.

    A ``total`` of None is work whose length is unknown; with 0, or without a terminal, nothing is shown. ``in_bytes``
    shows how many bytes are done.
    """
    if not sys.stderr.isatty() or total == 0:
        yield lambda *_done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    done = DownloadColumn() if in_bytes else TextColumn("{task.percentage:>3.0f}%")
    columns = (TextColumn("{task.description}"), BarColumn(), *(() if total is None else (done, TimeRemainingColumn())))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(display_text(title), total=total)
        yield lambda done, title=title: bar.update(task, completed=done, description=display_text(title))


@contextmanager
def file_progress(title: str, paths: Sequence[str]) -> Iterator[Callable[[str], Callable[[int], object]]]:
    """Yields a function that begins a file and returns one that takes the bytes read of it, for one bar over all files.

    There is no bar for little work, or without a terminal.
    """
    sizes = {path: Path(path).stat().st_size if Path(path).is_file() else 0 for path in paths}
    total = sum(sizes.values())
    starts = dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))
    titles = {path: f"{title} {index} of {len(sizes)}" for index, path in enumerate(sizes, 1)}
    with progress(title, total if total >= _LONG_BYTES or len(paths) >= _MANY_FILES else 0, in_bytes=True) as advance:

        def begin(path: str) -> Callable[[int], object]:
            advance(starts[path], titles[path])
            return lambda done: advance(starts[path] + min(done, sizes[path]), titles[path])

        yield begin


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
