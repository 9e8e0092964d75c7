"""The command mend: prints what a client's own summary lost of what the work needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import note, print_json
from clew.cli.sources import AUTO, session_of
from clew.errors import NotFound


def mend(
    source: Source,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary", metavar="FILE", help="The summary, - for stdin; default: the newest one that the client wrote."
        ),
    ] = None,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="N", help="Tokens of the patch; default: .15 of the summary's, at least 400."),
    ] = None,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Print what the client's own summary lost and the work needs.

    Whole lines with the messages they come from, to be put below the summary; nothing that it says already.
    Nothing is recorded.
    """
    text = _read(summary) if summary is not None else None
    with session_of(source, store, format=format) as session:
        patch = session.mend(text, budget)
        if as_json:
            shown = {"session": session.id, "tokens": patch.tokens, "items": list(patch.items), "text": patch.text}
            print_json(shown, unmasked=True)
        elif patch.text:
            sys.stdout.write(patch.text + "\n")
        else:
            note("clew: the summary lacks nothing that fits the budget")


def _read(path: Path) -> str:
    """The text of a file, or of standard input."""
    if str(path) == "-":
        return sys.stdin.read()
    try:  # a pipe is read as well: --summary <(pbpaste)
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        problem = f"no file {path}" if not path.exists() else f"{path} cannot be read ({error.strerror})"
        raise NotFound(f"{problem}; check the path") from None
