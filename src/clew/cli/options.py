"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from clew.codecs.formats import FORMATS

SOURCE_HELP = (
    "A session id or its beginning, 'latest' (the session last recorded into), a transcript file (FILE#SESSION for one"
    " of several), or - for stdin."
)

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
FileFormat = Annotated[
    str,
    typer.Option("--format", metavar="FORMAT", help=f"The format of a file: auto, or one of {', '.join(FORMATS)}."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object with stable keys instead of text.")]
StoreUrl = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="The store to use; default: CLEW_STORE, or a file of the user's."),
]


def show_help(context: typer.Context) -> None:
    """Prints the help of a group that was called without a command, and exits with 2."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
