"""What a SOURCE names: a stored session, a session in a file, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from clew.cli.output import note
from clew.errors import NotFound, UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.config import Config
    from clew.engine.engine import Engine
    from clew.engine.ingest.importer import ImportReport
    from clew.engine.read.losses import SessionLosses
    from clew.engine.session import Session

AUTO = "auto"
_FILE_ENDINGS = (".jsonl", ".json", ".md", ".traj", ".gz", ".zst")
#: Most sessions of a file that an error lists.
_MAX_LISTED = 8


@contextmanager
def open_engine(store: str | None, config: Config | None = None, *, for_long: bool = False) -> Iterator[Engine]:
    """Opens the engine on a store, and closes it afterwards. New sessions are of the person at this machine, unless
    --user or the settings name another. A command that runs ``for_long`` has the sessions that it opens read on.
    """
    from clew.app import open
    from clew.domain.sessions import DEFAULT_USER

    with open(store, config=config, person=DEFAULT_USER) as engine:
        engine.reads_on = for_long
        yield engine


@contextmanager
def opened_to_read(store: str | None) -> Iterator[Engine]:
    """As ``open_engine``, for commands that begin no store: where there is none, an empty one in memory stands
    for it.
    """
    with open_engine(":memory:" if _is_to_come(store) else store) as engine:
        yield engine


def _is_to_come(store: str | None) -> bool:
    """True for a file that the first import would make; not for one in a folder that is not there, nor for one of which
    only the log is left.
    """
    from clew.config import load, store_url
    from clew.environment import data_folder
    from clew.storage.stores import is_file as is_kept_in_file
    from clew.storage.stores import store_path

    url = store_url(load(is_command=True, store=store))
    if not is_kept_in_file(url):
        return False
    path = store_path(url)
    has_place = path.parent.is_dir() or path.parent == data_folder()
    return has_place and not path.exists() and not path.with_name(f"{path.name}-wal").exists()


@contextmanager
def sessions_of(source: str, store: str | None, *, format: str = AUTO) -> Iterator[list[Session]]:
    """Yields the sessions that a SOURCE names. A file is read into memory, and nothing is stored."""
    path, wanted = split_source(source)
    if not is_file(path):
        with session_of(source, store, format=format) as session:
            yield [session]
        return
    with read_file(path, format) as (engine, reports):
        chosen = _matching_reports(reports, wanted, path) if wanted else reports
        yield [engine.session(report.session) for report in chosen]


@contextmanager
def session_of(source: str, store: str | None, *, format: str = AUTO) -> Iterator[Session]:
    """Yields the one session that a SOURCE names. Raises UsageError if it names several."""
    with engine_and_session(source, store, format=format) as (_, session):
        yield session


@contextmanager
def engine_and_session(source: str, store: str | None, *, format: str = AUTO) -> Iterator[tuple[Engine, Session]]:
    """Yields the one session that a SOURCE names, and the engine that it belongs to."""
    path, wanted = split_source(source)
    if not is_file(path):
        with opened_to_read(store) as engine:
            session = _stored_session(engine, source, format)
            note_losses(session.reader.losses(), store)
            yield engine, session
        return
    with read_file(path, format) as (engine, reports):
        yield engine, engine.session(choose(reports, source, wanted).session)


def note_losses(losses: SessionLosses, store: str | None) -> None:
    """Notes what a damaged store has lost of a session, if anything, with the command that helps."""
    if losses:
        note(f"clew: {losses.summary}; {_way_back(losses, f' --store {quote(store)}' if store else '')}")


def _way_back(losses: SessionLosses, named: str) -> str:
    if not losses.source:
        return f"if it was read from a file, `clew import FILE{named}` brings them back"
    there = "" if Path(losses.source).is_file() else f"once {losses.source} is there again, "
    return f"{there}`clew import {quote(losses.source)}{named}` brings them back"


@contextmanager
def read_file(path: str, format: str) -> Iterator[tuple[Engine, list[ImportReport]]]:
    """Reads a file into memory; yields the engine and a report for each session in it, and notes what was skipped."""
    from clew.app import open

    with open(":memory:") as engine:
        reports = engine.import_file(path, format=format, project=False, index=False)
        for report in reports:
            for skipped in report.skipped:
                note(f"clew: {path}:{skipped.line}: {skipped.reason}")
        yield engine, [report for report in reports if report.messages]


def choose(reports: Sequence[ImportReport], source: str, wanted: str) -> ImportReport:
    """Returns the session of a file that ``wanted`` names, or the only one.

    Raises NotFound if there is none of that name, and UsageError, with the command to type, if there are several.
    """
    path = source.removesuffix(f"#{wanted}") if wanted else source
    matching = _matching_reports(reports, wanted, path) if wanted else reports
    if len(matching) == 1:
        return matching[0]
    command = _typed_with(source, f"{path}#{session_name(matching[-1])}")
    raise UsageError(
        f"{source} names {pluralise(len(matching), 'session')}: {_session_list(matching, path)}; type: {command}"
    )


def session_name(report: ImportReport) -> str:
    """The name of a session within its file, as it stands after the #."""
    return report.conversation or report.session


def _matching_reports(reports: Sequence[ImportReport], wanted: str, path: str) -> list[ImportReport]:
    """The session with that name or id; else those whose name or id begins with it."""
    names = [(report, (report.session, session_name(report))) for report in reports]
    matching = [report for report, both in names if wanted in both] or [
        report for report, both in names if any(name.startswith(wanted) for name in both)
    ]
    if not matching:
        raise NotFound(f"no session {wanted!r} in {path}; there are {_session_list(reports, path)}")
    return matching


def _session_list(reports: Sequence[ImportReport], path: str) -> str:
    shown = [f"{session_name(report)} ({pluralise(report.messages, 'message')})" for report in reports[:_MAX_LISTED]]
    more = len(reports) - len(shown)
    return ", ".join(shown) + (f" and {more} more, which `clew sessions {path}` lists" if more else "")


def _typed_with(source: str, chosen: str) -> str:
    """The command as it was typed, with another SOURCE."""
    import shlex
    import sys

    return shlex.join(["clew", *(chosen if argument == source else argument for argument in sys.argv[1:])])


def _stored_session(engine: Engine, name: str, format: str) -> Session:
    if format != AUTO:
        raise UsageError(f"--format says how to read a file; {name} is no file, so leave it out")
    try:
        return engine.find(name or _newest_here(engine))
    except NotFound:
        if name.endswith(_FILE_ENDINGS):
            raise NotFound(f"no file {name}; check the path") from None
        raise


def _newest_here(engine: Engine) -> str:
    """The id of the newest session of the working folder. Raises NotFound where there is none."""
    from clew.assistants.transcript import is_same_folder

    here, infos = str(Path.cwd()), engine.infos()
    id = next((info.key.id for info in infos if info.cwd and is_same_folder(info.cwd, here)), "")
    if not infos:
        return "latest"  # of which is said that there is none yet
    if not id:
        raise NotFound(f"no session of {here} is stored; name one, or say latest", about="session")
    return id


def is_read(source: str) -> bool:
    """Returns True for a SOURCE that is only read: a file, a session in a file, or standard input."""
    return is_file(split_source(source)[0])


def is_file(path: str) -> bool:
    """Returns True for what names a file, a folder or stdin, not a stored session."""
    return bool(path) and (path == "-" or Path(path).is_file() or "/" in path or Path(path).is_dir())


def split_source(source: str) -> tuple[str, str]:
    """Splits a SOURCE into a file and the id after its last #. An existing file may itself have a # in its name."""
    if "#" not in source or Path(source).exists():
        return source, ""
    path, _, wanted = source.rpartition("#")
    return path, wanted
