"""Runs an audit over many files: figures of all of them first, then what was found, on all cores.

A file that cannot be read is listed with the reason and costs no other file anything. The same conversation in another
file is counted once, in the file that has more of it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import Any, Generic, TypeVar

from clew.audit.repeated_rules import repeated_rules
from clew.audit.report import AuditReport, SkippedFile
from clew.audit.result_cache import ResultCache
from clew.audit.session_audit import session_figures, session_findings
from clew.audit.values import SessionFigures, SessionFindings
from clew.codecs.sources import STDIN
from clew.engine.ingest.folders import FolderWalk
from clew.errors import ClewError, NoConversation, UsageError

#: From this share of its records in another file on a session is a copy.
_SHARE = 0.5
T = TypeVar("T")
#: Less than this is done before a second process has started.
_SMALL_BYTES = 4_000_000
_MAX_WORKERS = 8
#: Takes a file whose turn is over.
Advance = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """What an audit is asked for. ``budget`` is the size of packs for ``what_if``; 0 for that of each summary.
    ``prices`` are the user's own; ``cache`` has what was found before, None to look anew.
    """

    format: str = "auto"
    what_if: bool = False
    budget: int = 0
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    cache: ResultCache | None = None


@dataclass(slots=True)
class Audit:
    """One audit. ``files`` are the session files that may be among the paths."""

    options: AuditOptions = field(default_factory=AuditOptions)
    files: list[str] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    others: int = 0
    exit_code: int = 0
    _named: set[str] = field(default_factory=set)
    _figures: list[SessionFigures] = field(default_factory=list)
    _findings: dict[str, SessionFindings] = field(default_factory=dict)

    def find_files(self, paths: Iterable[str]) -> None:
        """Collects the files: a folder is walked, all other paths are taken as they are. Raises UsageError for standard
        input.
        """
        for path in dict.fromkeys(paths):
            if path == STDIN:
                raise UsageError("standard input can be read only once, and an audit reads twice; name a file")
            if not Path(path).is_dir():
                self._named.add(path)
                self.files.append(path)
                continue
            walk = FolderWalk(path)
            self.files += [file for file in walk.files() if file not in self.files]
            self.others += walk.others
            self.skipped += [SkippedFile(place, problem, is_failure=True) for place, problem in walk.failed]

    def read_figures(self, advance: Advance) -> AuditReport:
        """Counts the tokens of all files, and returns the report so far."""
        for path, figures in self._each(session_figures, SessionFigures, self.files, (self.options.format,), advance):
            self._figures += figures if not isinstance(figures, Exception) else self._skip(path, figures)
        self._figures.sort(key=lambda figure: self.files.index(figure.path))
        self._figures, copies = without_copies(self._figures)
        self.skipped += copies
        return self.report()

    def read_findings(self, advance: Advance) -> AuditReport:
        """Looks into compactions and rules of all sessions that were counted, and returns the whole report."""
        wanted = {figure.source for figure in self._figures}
        paths = list(dict.fromkeys(figure.path for figure in self._figures))
        arguments = (self.options.format, self.options.what_if, self.options.budget)
        for path, findings in self._each(session_findings, SessionFindings, paths, arguments, advance):
            for session in findings if not isinstance(findings, Exception) else self._skip(path, findings):
                if session.source in wanted:
                    self._findings[session.source] = session
        if self.options.cache is not None:
            self.options.cache.prune()
        return self.report()

    def report(self) -> AuditReport:
        """Returns what is known so far."""
        sessions = tuple(self._figures)
        findings = {
            session.source: self._findings[session.source] for session in sessions if session.source in self._findings
        }
        return AuditReport(
            sessions=sessions,
            found=findings,
            repeated=tuple(repeated_rules(sessions, findings)),
            skipped=tuple(self.skipped),
            other_files=self.others,
            prices=self.options.prices,
        )

    def _skip(self, path: str, error: Exception) -> list[Any]:
        """Notes a file that gives nothing. Of a folder's files, those of other programs are only counted."""
        is_other = isinstance(error, NoConversation) and not (error.format or error.is_broken or path in self._named)
        if is_other:
            self.others += 1
        else:
            is_ours = isinstance(error, ClewError)
            reason = str(error) if is_ours else f"{path} cannot be read ({type(error).__name__}: {error})"
            self.skipped.append(SkippedFile(path, reason, is_failure=path in self._named or not is_ours))
            if path in self._named:
                self.exit_code = max(self.exit_code, error.exit_code if isinstance(error, ClewError) else 2)
        return []

    def _each(
        self,
        work: Callable[..., list[T]],
        kind: type[T],
        paths: Sequence[str],
        given: tuple[Any, ...],
        advance: Advance,
    ) -> Iterator[tuple[str, list[T] | Exception]]:
        """Does the work for each file, the largest first, on all cores where that helps. What a cache has is not done
        again.
        """
        cache, done = self.options.cache, set[str]()
        for path in paths:
            if cache is not None and (cached := cache.find(path, kind, given)) is not None:
                done.add(path)
                advance(path)
                yield path, cached
        sizes = {path: _size(path) for path in paths if path not in done}
        order = sorted(sizes, key=lambda path: -sizes[path])
        workers = min(os.cpu_count() or 1, _MAX_WORKERS, len(order))
        job = _Job(work, kind, given, cache)
        if workers > 1 and sum(sizes.values()) > _SMALL_BYTES:
            for path, result in _in_processes(job, order, workers):
                done.add(path)
                advance(path)
                yield path, result
        for path in order:
            if path not in done:
                result = job(path)
                advance(path)
                yield path, result


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


@dataclass(frozen=True, slots=True)
class _Job(Generic[T]):
    """What is done with each file, in whatever process."""

    work: Callable[..., list[T]]
    kind: type[T]
    given: tuple[Any, ...]
    cache: ResultCache | None

    def __call__(self, path: str) -> list[T] | Exception:
        make = partial(self.work, path, *self.given)
        try:
            return make() if self.cache is None else self.cache.keep(path, self.kind, self.given, make)
        except (KeyboardInterrupt, SystemExit):
            raise
        except Exception as error:  # a file that nobody thought of must not cost those after it
            return error


def _in_processes(job: _Job[T], paths: Sequence[str], workers: int) -> Iterator[tuple[str, list[T] | Exception]]:
    """Yields files as they are done. Where processes cannot be started, or one is killed, the rest is left."""
    try:
        pool = ProcessPoolExecutor(workers, initializer=_leave_interrupts)
    except OSError:
        return
    try:
        started = {pool.submit(job, path): path for path in paths}
        for future in as_completed(started):
            yield started[future], future.result()
    except (BrokenProcessPool, OSError):
        return
    except BaseException:  # nobody waits for the rest
        for worker in active_children():
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)  # what it left to the end of the program would find its pipes closed


def _leave_interrupts() -> None:
    """An interrupt is answered by the process that the user started."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def without_copies(sessions: Sequence[SessionFigures]) -> tuple[list[SessionFigures], list[SkippedFile]]:
    """Returns the sessions that are no copies, in their order, and the copies with the file that has no less."""
    longest = sorted(sessions, key=lambda session: -session.messages)
    homes: dict[int, SessionFigures] = {}
    copies: dict[int, SkippedFile] = {}
    for figures in longest:
        shared = [homes[key] for key in figures.keys if key in homes]
        if shared and len(shared) >= _SHARE * len(figures.keys):
            most = max(shared, key=lambda home: sum(other is home for other in shared))
            copies[id(figures)] = SkippedFile(
                figures.source, f"{figures.source} is a copy: {_copy_reason(figures, most)}"
            )
        else:
            homes.update(dict.fromkeys(figures.keys, figures))
    return [session for session in sessions if id(session) not in copies], list(copies.values())


def _copy_reason(copy: SessionFigures, home: SessionFigures) -> str:
    is_same = (copy.keys, copy.messages) == (home.keys, home.messages)
    return f"{home.source} has the same session" if is_same else f"{home.source} has more of that session"
