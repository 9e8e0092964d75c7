"""What sessions took, by the clients' own files: tokens and dollars, and what an audit finds in them.

Reading many files takes a while, so that it is done in the background when somebody asks, and told as it goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from weakref import WeakKeyDictionary

from clew.audit.costs import spending
from clew.audit.report import AuditReport
from clew.audit.report_json import finding_json, totals_json
from clew.audit.result_cache import ResultCache, audit_cache
from clew.audit.run import Audit, AuditOptions
from clew.dashboard.endpoint import Endpoint
from clew.dashboard.session_views import session_names
from clew.engine.engine import Engine
from clew.ports import Store

#: Most findings that are sent; the command line has them all.
_MOST_FINDINGS = 300


@dataclass(slots=True)
class _Reading:
    """An audit of a user's files that goes on, or is done."""

    files: int = 0
    read: int = 0
    is_running: bool = False
    report: AuditReport | None = None
    failure: str = ""


_readings: WeakKeyDictionary[Store, dict[str, _Reading]] = WeakKeyDictionary()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Use:
    """How far the files are read, and what they say: sums with their tables by day, project, model and client, and
    findings, those that matter most first; ``names`` has what this API finds sessions by, by file and id.
    """

    files: int
    read: int
    is_running: bool
    failure: str
    totals: dict[str, Any] | None
    by_client: tuple[dict[str, Any], ...] = ()
    findings: tuple[dict[str, Any], ...] = field(default=())
    names: dict[str, dict[str, str]] = field(default_factory=dict)


def use(engine: Engine) -> Use:
    """Returns what the files of stored sessions say of tokens, dollars and findings, as far as they were read."""
    found = _reading(engine)
    report = found.report
    return Use(
        found.files,
        found.read,
        found.is_running,
        found.failure,
        totals_json(report) if report else None,
        tuple(_by_client(report)) if report else (),
        tuple(finding_json(finding) for finding in report.findings[:_MOST_FINDINGS]) if report else (),
        _names(engine) if report else {},
    )


def _names(engine: Engine) -> dict[str, dict[str, str]]:
    infos = engine.infos()
    names, found = session_names(infos), dict[str, dict[str, str]]()
    for info in infos:
        found.setdefault(info.source, {})[info.key.id] = names[info.key]
    return found


def read_use(engine: Engine) -> Use:
    """Reads the files of stored sessions in the background, where nobody does already."""
    found = _reading(engine)
    with _lock:
        starts = not found.is_running
        found.is_running = True
    if starts:
        files = sorted({info.source for info in engine.infos() if info.source and Path(info.source).is_file()})
        found.files, found.read, found.failure = 2 * len(files), 0, ""
        Thread(target=_audit, args=(engine, files, found), name="clew-audit", daemon=True).start()
    return use(engine)


def _reading(engine: Engine) -> _Reading:
    with _lock:
        return _readings.setdefault(engine.store, {}).setdefault(engine.seen_user, _Reading())


def _audit(engine: Engine, files: Iterable[str], reading: _Reading) -> None:
    """Figures first, then findings; each is shown as soon as it is there."""

    def advance(_path: str) -> None:
        reading.read += 1

    try:
        audit = Audit(AuditOptions(prices=engine.config.prices, cache=ResultCache(audit_cache())))
        audit.find_files(files)
        reading.report = audit.read_figures(advance)
        reading.report = audit.read_findings(advance)
    except Exception as error:  # whoever looks is told; the server goes on
        reading.failure = f"{type(error).__name__}: {error}"
    finally:
        reading.is_running = False


def _by_client(report: AuditReport) -> Iterable[dict[str, Any]]:
    for client in sorted({session.client for session in report.sessions}):
        spent = spending([session for session in report.sessions if session.client == client], report.prices).total
        yield {"client": client} | asdict(spent)


ENDPOINTS = (Endpoint("GET", "/api/use", use), Endpoint("POST", "/api/use/read", read_use))
