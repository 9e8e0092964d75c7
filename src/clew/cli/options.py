"""Options that several commands share, and the sessions that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.session import Session

SOURCE_HELP = "A session id or its beginning, 'latest', a transcript file (FILE#ID for one of several), or - for stdin."

Source = Annotated[str, typer.Argument(metavar="SOURCE", help=SOURCE_HELP, show_default=False)]
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


@contextmanager
def opened(store: str | None) -> Iterator[Engine]:
    """Opens the engine on a store, and closes it afterwards."""
    from clew.app import open

    with open(store) as engine:
        yield engine


@contextmanager
def sessions_of(source: str, store: str | None) -> Iterator[list[Session]]:
    """Yields the sessions that a SOURCE names. A file is read into memory, and nothing is stored."""
    path, wanted = parted(source)
    if not _is_file(path):
        with opened(store) as engine:
            yield [engine.find(source)]
        return
    from clew.app import open
    from clew.cli.output import note

    with open(":memory:") as engine:
        reports = engine.import_file(path, project=False)
        found = [engine.find(report.session) for report in reports if report.messages]
        for report in reports:
            for skipped in report.skipped:
                note(f"clew: {path}:{skipped.line}: {skipped.reason}")
        yield [one for one in found if one.id == wanted or one.id.endswith(f"-{wanted}")] if wanted else found


@contextmanager
def session_of(source: str, store: str | None) -> Iterator[Session]:
    """Yields the one session that a SOURCE names. Raises NotFound if there is none, UsageError if there are several."""
    from clew.errors import NotFound, UsageError
    from clew.text.plurals import counted

    with sessions_of(source, store) as found:
        if not found:
            raise NotFound(f"no conversation in {source}; it may hold nothing but bookkeeping")
        if len(found) > 1:
            path = source.partition("#")[0]
            raise UsageError(
                f"{source} holds {counted(len(found), 'conversation')}; choose one, as in {path}#{found[0].id}"
            )
        yield found[0]


def is_read(source: str) -> bool:
    """Returns True for a SOURCE that is only read: a file, a conversation in a file, or standard input."""
    return _is_file(parted(source)[0])


def _is_file(path: str) -> bool:
    return path == "-" or Path(path).is_file() or "/" in path or Path(path).is_dir()


def parted(source: str) -> tuple[str, str]:
    """Splits a SOURCE into a file and the id after its last #. An existing file may itself have a # in its name."""
    if "#" not in source or Path(source).exists():
        return source, ""
    path, _, wanted = source.rpartition("#")
    return path, wanted
