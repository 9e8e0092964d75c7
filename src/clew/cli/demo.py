"""The command demo: a tour of a minute on a session that comes with the program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from clew.cli.options import AsJson
from clew.cli.output import print_json, say


def demo(
    context: typer.Context,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FOLDER", help="Write the files of the tour there instead, to try it yourself."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a tour on a bundled coding session; it stores nothing."""
    from clew.cli.tour import lay_out, stops, tour

    program = context.find_root().command
    if out is not None:
        written = [str(path) for path in lay_out(out)]
        print_json({"files": written}) if as_json else say(f"wrote {' and '.join(written)}")
    elif as_json:
        print_json({"stops": [stop.as_dict() for stop in stops(program)]})
    else:
        tour(program)
