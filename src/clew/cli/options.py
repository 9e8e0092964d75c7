"""Options that several commands share."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

from clew.codecs.formats import FORMATS

_USER = "CLEW_USER"
SOURCE_HELP = (
    "A session id or its beginning, 'latest' (the session last recorded into), a transcript file (FILE#SESSION for one"
    " of several), or - for stdin."
)

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
#: Without one, the newest session of the working folder is meant.
SourceOrHere = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help=f"{SOURCE_HELP} Without it, the newest session of this folder.", show_default=False
    ),
]
FileFormat = Annotated[
    str,
    typer.Option("--format", metavar="FORMAT", help=f"The format of a file: auto, or one of {', '.join(FORMATS)}."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object with stable keys instead of text.")]
StoreUrl = Annotated[
    str | None,
    typer.Option("--store", metavar="URL", help="The store to use; default: CLEW_STORE, or a file of the user's."),
]
UserName = Annotated[
    str,
    typer.Option(
        "--user",
        metavar="U",
        help="Whose sessions; default: CLEW_USER, or else everybody's to read, and yours for new ones.",
    ),
]


def with_user(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command the option --user. It says what CLEW_USER says, and beats it."""
    signature = inspect.signature(command, eval_str=True)

    @wraps(command)
    def run(*args: Any, user: str = "", **named: Any) -> Any:
        before = os.environ.get(_USER)
        os.environ |= {_USER: user} if user else {}
        try:
            return command(*args, **named)
        finally:
            os.environ.pop(_USER, None) if before is None else os.environ.__setitem__(_USER, before)

    own = inspect.Parameter("user", inspect.Parameter.KEYWORD_ONLY, default="", annotation=UserName)
    run.__signature__ = signature.replace(parameters=[*signature.parameters.values(), own])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, "user": UserName}
    return run


def show_help(context: typer.Context) -> None:
    """Prints the help of a group that was called without a command, and exits with 2."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)
