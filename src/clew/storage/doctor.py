"""Looking after a store's file: is it sound?"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import apsw

from clew.domain import SessionInfo, SessionKey
from clew.domain.ids import message_ranges
from clew.errors import ClewError, NotFound, StoreDamaged
from clew.ports import Gaps
from clew.storage.compression import decompress
from clew.storage.connections import connect
from clew.storage.failures import Failures
from clew.storage.gaps import find_gaps
from clew.storage.row_values import info_of
from clew.storage.schema import MIGRATIONS
from clew.storage.stores import BUSY_TIMEOUT_SECONDS

#: A log this large means that something keeps it from being copied into the database.
_LARGE_WAL_BYTES = 256 << 20
_SHOWN_PROBLEMS = 5
_COUNTED = ("sessions", "entries", "marks", "blobs", "projected", "small_values")


#: Whether a look found all well, what it found, and commands that help.
Finding = tuple[bool, str, tuple[str, ...]]
Look = Callable[[apsw.Connection], Finding]
_REPAIR = ("clew doctor --repair",)


class Check(NamedTuple):
    """One thing that was looked at: its name, whether it is well, the figure or the trouble, and commands that help."""

    name: str
    ok: bool
    detail: str
    next: tuple[str, ...] = ()


def inspect(path: Path) -> Iterator[Check]:
    """Looks at everything and changes nothing; trouble is told, never raised. NotFound if there is no file."""
    if not path.is_file():
        raise NotFound(f"there is no store at {path}", hint="name another", about="store")
    return _checks(path)


def _checks(path: Path) -> Iterator[Check]:
    yield _mode(path)
    yield _log(path)
    try:
        with Failures(path):
            db = connect(path, durability="full", busy_timeout_seconds=BUSY_TIMEOUT_SECONDS)
    except ClewError as error:
        yield Check("opens", False, str(error), _REPAIR if isinstance(error, StoreDamaged) else ())
        return
    # Nor does closing: what is in the log stays there.
    db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    try:
        for name, look in _LOOKS:
            yield _run_check(name, look, db, path)
    finally:
        db.close()


def _mode(path: Path) -> Check:
    mode = stat.S_IMODE(path.stat().st_mode)
    closed = os.name == "nt" or mode & 0o077 == 0
    detail = f"{mode:04o}" + ("" if closed else f": others may read it; chmod 600 {path}")
    return Check("file mode", closed, detail, () if closed else _REPAIR)


def _log(path: Path) -> Check:
    log = path.with_name(path.name + "-wal")
    size = log.stat().st_size if log.exists() else 0
    return Check("log size", size < _LARGE_WAL_BYTES, f"{size:,} bytes")


def _run_check(name: str, look: Look, db: apsw.Connection, path: Path) -> Check:
    try:
        with Failures(path):
            return Check(name, *look(db))
    except ClewError as error:
        return Check(name, False, str(error), _REPAIR)


def _integrity(db: apsw.Connection) -> Finding:
    found = [str(line) for (line,) in db.execute("PRAGMA integrity_check(100)")]
    return (True, "ok", ()) if found == ["ok"] else (False, _summary(found), _REPAIR)


def _version(db: apsw.Connection) -> Finding:
    version = int(db.pragma("user_version"))
    return 0 < version <= len(MIGRATIONS), f"{version}; this Clew knows up to {len(MIGRATIONS)}", ()


def _counts(db: apsw.Connection) -> Finding:
    counted = {table: db.execute(f"SELECT count(*) FROM {table}").get for table in _COUNTED}
    return True, ", ".join(f"{count:,} {table}" for table, count in counted.items()), ()


def _sessions(db: apsw.Connection) -> Finding:
    return _none(f"{info.key.id}: {error}" for info, error in _infos(db) if error)


def _bodies(db: apsw.Connection) -> Finding:
    return _none(_unreadable(db, "SELECT session || ' entry ' || seq, kept, body FROM entries"))


def _check_rows(db: apsw.Connection) -> Finding:
    return _none(_unreadable(db, "SELECT session || ' row of ' || projection, kept, body FROM projected"))


def _blobs(db: apsw.Connection) -> Finding:
    return _none(_bad_blobs(db))


def _entries_complete(db: apsw.Connection) -> Finding:
    found = [(info, gaps) for info, gaps in _gaps(db) if gaps.entries or gaps.messages]
    return _loss_finding((info, f"{len(gaps.entries)} of {info.entries} entries{_among(gaps)}") for info, gaps in found)


def _among(gaps: Gaps) -> str:
    return f", with them {message_ranges(gaps.messages)}" if gaps.messages else ""


def _blobs_complete(db: apsw.Connection) -> Finding:
    found = [(info, gaps.blobs) for info, gaps in _gaps(db) if gaps.blobs]
    return _loss_finding((info, f"{len(blobs)} blobs, b{blobs[0][:12]} among them") for info, blobs in found)


def _loss_finding(found: Iterable[tuple[SessionInfo, str]]) -> Finding:
    """Sessions that lack something, with what, and the commands that bring it back."""
    lost = list(found)
    what = [f"session {info.key.id} lacks {missing}{_origin(info)}" for info, missing in lost]
    sources = dict.fromkeys(info.source for info, _ in lost if info.source)
    return not lost, _summary(what) or "ok", tuple(f"clew import {quote(source)}" for source in sources)


def _origin(info: SessionInfo) -> str:
    return "" if info.source else " (it has no known file; if it came from one, import that again)"


def _gaps(db: apsw.Connection) -> Iterator[tuple[SessionInfo, Gaps]]:
    for info, error in list(_infos(db)):
        if not error:
            yield info, find_gaps(db, info)


def _infos(db: apsw.Connection) -> Iterator[tuple[SessionInfo, str]]:
    """Every session, and why its row cannot be read if that is so."""
    for tenant, user, session, data in db.execute("SELECT tenant, user, session, info FROM sessions ORDER BY session"):
        key = SessionKey(tenant, user, session)
        try:
            yield info_of(key, data), ""
        except (ValueError, TypeError, AttributeError) as error:
            yield SessionInfo(key=key), str(error)


def _unreadable(db: apsw.Connection, query: str) -> Iterator[str]:
    for name, kept, body in db.execute(query):
        try:
            decompress(kept, body)
        except ValueError as error:
            yield f"{name}: {error}"


def _bad_blobs(db: apsw.Connection) -> Iterator[str]:
    for digest, kept, body in db.execute("SELECT digest, kept, body FROM blobs"):
        try:
            whole = decompress(kept, body)
        except ValueError as error:
            yield f"{digest[:12]}: {error}"
            continue
        if hashlib.sha256(whole).hexdigest() != digest:
            yield f"{digest[:12]}: its bytes do not match its digest"


def _none(problems: Iterator[str]) -> Finding:
    found = list(problems)
    return not found, _summary(found) or "ok", _REPAIR if found else ()


def _summary(problems: list[str]) -> str:
    more = len(problems) - _SHOWN_PROBLEMS
    return "; ".join(problems[:_SHOWN_PROBLEMS]) + (f"; and {more} more" if more > 0 else "")


_LOOKS: tuple[tuple[str, Look], ...] = (
    ("schema version", _version),
    ("integrity", _integrity),
    ("counts", _counts),
    ("sessions readable", _sessions),
    ("entries readable", _bodies),
    ("rows readable", _check_rows),
    ("blobs readable", _blobs),
    ("entries complete", _entries_complete),
    ("blobs complete", _blobs_complete),
)

__all__ = ["Check", "inspect"]
