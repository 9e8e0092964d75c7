"""The command import: stores transcripts, folders of them, and files as they grow."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from clew.cli.error_lines import error_line, safe_line
from clew.cli.import_reports import report_json, say_report, show_reports
from clew.cli.options import AsJson, FileFormat, StoreUrl
from clew.cli.output import file_progress, note, print_json, progress
from clew.cli.search_results.vector_wait import wait_for_vectors
from clew.cli.sources import AUTO, open_engine, split_source
from clew.errors import ClewError, Interrupted, NoConversation, StorageError, UnreadableSource, UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.ingest.follower import Follower
    from clew.engine.ingest.importer import ImportReport
    from clew.engine.ingest.read_ahead import ReadAhead

#: How long growing files are left alone between two looks.
_POLL_SECONDS = 0.3
#: Most skipped files that are named one by one; --json names them all.
_MAX_NAMED = 20


def import_(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH", help="Transcript files, folders of them, or - for stdin.", show_default=False),
    ],
    format: FileFormat = AUTO,
    session: Annotated[str, typer.Option(metavar="ID", help="Store everything under this session id.")] = "",
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on reading as the files grow, until interrupted.")
    ] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="End once all can be searched; leave the rest to whoever opens a session.")
    ] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Store transcripts; importing a file again adds only what is new.

    A folder is walked: session files in it are found by name and content, all others are passed over. Of what was
    imported, the session with the newest message is then 'latest'. All of it can be searched by words as soon as it is
    stored; then what else is derived is made, which may be interrupted: what is missing is made when it is needed.
    Where the encoder is installed, it reads what people said. `clew rebuild --missing` makes what is left of all that.
    """
    if follow:
        with open_engine(store) as engine:
            _follow(engine, paths, format=format, session=session, as_json=as_json)
    with open_engine(store) as engine:
        batch = _Batch(engine, format, session)
        is_table = not as_json and any(Path(path).is_dir() for path in paths)
        try:
            batch.run(paths)
            if not no_wait and not is_table:
                batch.complete(repairs=True)
        finally:
            _show(batch, paths, as_json=as_json)
        if not no_wait and is_table:
            batch.complete(repairs=False)
        batch.note_unread(no_wait=no_wait)
        if not no_wait and any(report.new_messages for report in batch.done):
            engine.read_on(batch.latest)
            wait_for_vectors(engine)
    raise typer.Exit(batch.exit_code)


@dataclass(slots=True)
class _Batch:
    """Imports files one after the other; what goes wrong with one is noted, and the next one is read."""

    engine: Engine
    format: str
    session: str
    done: list[ImportReport] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    others: int = 0
    exit_code: int = 0
    latest: str = ""
    _ahead: ReadAhead | None = None

    def run(self, paths: Sequence[str]) -> None:
        """Imports all paths. Raises StorageError, which no other file would escape."""
        files = list(self._files(paths))
        names = [path for path, _ in files]
        reading_ahead = self.engine.reading_ahead(names, format=self.format)
        passed = 0
        try:
            with file_progress("storing", names) as advance, reading_ahead as self._ahead:
                for path, folder in files:
                    self._import(path, folder, advance(path))
                    passed += 1
        except KeyboardInterrupt:
            far = f"{passed} of {len(files)} files are" if len(files) > 1 else "what was read until then is"
            raise Interrupted(f"interrupted; {far} stored", hint="the same command goes on from there") from None
        for folder in dict.fromkeys(path for path in paths if Path(path).is_dir()):
            self._ensure_found(folder, [path for path, place in files if place == folder])
        self.latest = self.engine.mark_latest({report.session for report in self.done})

    def complete(self, *, repairs: bool) -> None:
        """Makes what is derived from all that was imported; ``repairs`` are counted where they are told."""
        try:
            with file_progress("deriving", [report.path for report in self.done]) as advance:
                for report in self.done:
                    advance(report.path)
                    self.engine.complete_import(report, repairs=repairs)
                    if report.new_messages:
                        self.engine.session(report.session).channels.load_rule_files(Path.home())
            self.read()
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; all is stored and can be searched by words",
                hint="`clew rebuild --missing` makes what else is derived",
            ) from None

    def read(self) -> None:
        """Has the encoder read what it has not read yet. What it has read is kept when it is interrupted; where nothing
        is unread, or there is no encoder, nothing is loaded.
        """
        sessions = [report.session for report in self.done]
        with progress("hearing what people said", self.engine.unread(sessions)) as advance:
            self.engine.read_now(sessions, progress=advance)

    def note_unread(self, *, no_wait: bool) -> None:
        """Says what was left for later, and what makes it now."""
        if left := self.engine.unread(report.session for report in self.done):
            messages = pluralise(left, "message")
            note(f"clew: the encoder has not read {messages} yet; `clew rebuild --missing` has it read on")
        elif no_wait and any(report.new_messages for report in self.done):
            note("clew: all can be searched by words; `clew rebuild --missing` makes what else is derived")

    def _files(self, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each file, with the folder in which it was found, if any."""
        from clew.engine.ingest.folders import FolderWalk

        for path in dict.fromkeys(paths):
            if not Path(path).is_dir():
                yield path, ""
                continue
            walk = FolderWalk(path)
            yield from ((file, path) for file in walk.files())
            self.others += walk.others
            for place, problem in walk.failed:
                self._fail(place, problem, 2)

    def _import(self, path: str, folder: str, advance: Callable[[int], object]) -> None:
        try:
            self.done += self._import_file(path, advance)
        except StorageError:
            raise
        except NoConversation as error:
            if not folder:
                self._fail(path, error_line(error), error.exit_code)
            elif error.format or error.is_broken:
                self.skipped.append({"path": path, "format": error.format, "reason": error_line(error)})
            else:
                self.others += 1
        except ClewError as error:
            self._fail(path, _with_hint(path, error_line(error)), error.exit_code)
        except Exception as error:  # a file that nobody thought of must not cost those after it
            self._fail(path, f"{path} cannot be read ({type(error).__name__}: {error}); name its format or leave it", 2)

    def _import_file(self, path: str, advance: Callable[[int], object]) -> list[ImportReport]:
        return self.engine.import_file(
            path,
            format=self.format,
            session=self.session,
            progress=advance,
            project=False,
            repairs=False,
            ahead=self._ahead,
        )

    def _ensure_found(self, folder: str, files: Sequence[str]) -> None:
        read = {report.path for report in self.done} | {failure["path"] for failure in self.failed}
        if read.isdisjoint([folder, *files]):
            looked = f"{pluralise(len(files), 'file')} looked at, {len(self.skipped)} of them without a message"
            self._fail(folder, f"no session in {folder} ({looked}); name a folder that an assistant writes to", 3)

    def _fail(self, path: str, problem: str, code: int) -> None:
        note(f"clew: {safe_line(problem)}")
        self.failed.append({"path": path, "error": problem})
        self.exit_code = max(self.exit_code, code)


def _with_hint(path: str, problem: str) -> str:
    file, session = split_source(path)
    whole = f"no file {path}; import takes whole files: clew import {file} stores every session in it"
    return whole if session and Path(file).is_file() else problem


def _show(batch: _Batch, paths: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        imported = [report_json(report) | _derived_reach(batch.engine, report) for report in batch.done]
        print_json(
            {"imported": imported, "failed": batch.failed, "skipped": batch.skipped, "other_files": batch.others}
        )
        return
    if not any(Path(path).is_dir() for path in paths):
        for report in batch.done:
            say_report(report)
        return
    if batch.done:
        show_reports(batch.done, latest=batch.latest)
    for file in batch.skipped[:_MAX_NAMED]:
        note(f"skipped: {file['reason']}")
    if len(batch.skipped) > _MAX_NAMED:
        note(f"skipped: {len(batch.skipped) - _MAX_NAMED} more, which --json names")
    if batch.others:
        note(f"passed over: {pluralise(batch.others, 'file')} of other kinds")


def _derived_reach(engine: Engine, report: ImportReport) -> dict[str, Any]:
    """How far everything derived from the session has come."""
    info = engine.store.session(engine.key(report.session))
    return {"derived": asdict(engine.derived_reach(info))} if info else {}


# ── following ────────────────────────────────────────────────────────────────────────────────────────


def _follow(engine: Engine, paths: Sequence[str], *, format: str, session: str, as_json: bool) -> NoReturn:
    """Takes turns over the files until interrupted; each line of output is one report."""
    import time

    if "-" in paths:
        raise UsageError("standard input cannot be followed; name files")
    for path in paths:
        if not Path(path).exists():
            note(f"clew: no file {path} yet; waiting for it")
    followers: dict[str, Follower] = {}
    reported: dict[str, str] = {}
    while True:
        for path in _followed_files(paths):
            follower = followers.setdefault(path, engine.follow_file(path, format=format, session=session))
            for report in _poll(follower, path, reported, is_named=path in paths):
                if report.new_messages or report.skipped:
                    _say_followed(report, as_json=as_json)
                if report.new_messages:
                    engine.read_on(report.session)
        time.sleep(_POLL_SECONDS)


def _followed_files(paths: Sequence[str]) -> Iterator[str]:
    """The files as they are now: a folder may have more than at the last turn."""
    from clew.engine.ingest.folders import FolderWalk

    for path in paths:
        yield from FolderWalk(path).files() if Path(path).is_dir() else (path,)


def _poll(follower: Follower, path: str, reported: dict[str, str], *, is_named: bool) -> list[ImportReport]:
    """What is new in a file. Its first line may be half written: the next turn reads it again."""
    try:
        return follower.poll()
    except UnreadableSource as error:
        if is_named and reported.get(path) != str(error):
            note(f"clew: {error}")
        reported[path] = str(error)
        return []


def _say_followed(report: ImportReport, *, as_json: bool) -> None:
    if as_json:
        from clew.codecs import jsonio
        from clew.text.secrets import mask_strings

        sys.stdout.write(jsonio.dumps(mask_strings(report_json(report))).decode() + "\n")
    else:
        say_report(report)
    sys.stdout.flush()
