"""Transcripts into sessions: whole files, several conversations in one, and files that still grow.

What can be read is stored; what cannot is kept as it stands, as bookkeeping, and reported by line. A
cursor for each file remembers how far it was read, and notices when it was cut or replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import orjson

from clew.codecs import clew_format, jsonio, registry
from clew.codecs.sources import open_source, peek
from clew.domain import Entry, Record, SessionInfo, SessionKey, Skipped
from clew.engine.core import Engine, decoded
from clew.engine.ledger import Incoming, Telling
from clew.engine.session import Session
from clew.errors import UsageError
from clew.ports import Codec, RawRecord

_BATCH_RECORDS = 1000
_BATCH_BYTES = 4 << 20
_HEAD_BYTES = 4096
#: A file of many broken lines is reported by the first of them, and a count.
_MAX_REPORTED = 100

Progress = Callable[[int], object]


@dataclass(slots=True)
class ImportReport:
    """What became of one file (or of one conversation in it)."""

    path: str
    format: str
    session: str
    messages: int = 0
    new_messages: int = 0
    repairs: int = 0
    skipped: list[Skipped] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a file was read; ``head`` recognises it when it has been replaced by another."""

    format: str
    session: str
    offset: int
    line: int
    head: str
    tail: str = ""


class Importer:
    """Imports one file into an engine. ``session`` puts everything under one id."""

    def __init__(
        self,
        engine: Engine,
        path: Path | str,
        *,
        format: str = "auto",
        session: str = "",
        progress: Progress | None = None,
    ) -> None:
        self.engine, self.path, self.session = engine, str(path), session
        self.format, self.progress = format, progress or (lambda _bytes: None)
        self._given, self._keyless = session, False
        self.reports: dict[str, ImportReport] = {}
        self._sessions: dict[str, Session] = {}
        self._tellings: dict[str, Telling] = {}
        self._batch: list[tuple[str, Incoming]] = []
        self._batch_bytes = 0
        self._skipped: list[Skipped] = []
        self._why = ""
        self._stem = ""

    def run(self, *, catch_up: bool = True, repairs: bool = True) -> list[ImportReport]:
        """Reads what is new in the file; a cursor is kept for files that grow line by line."""
        with open_source(self.path) as stream:
            head = peek(stream)
            self._stem = self._own_name(head)
            codec = registry.detect(head, self.path) if self.format == "auto" else registry.named(self.format, head)
            if codec.name == clew_format.NAME and self._restored(head, stream):
                return self._finish(codec, catch_up=catch_up, repairs=repairs)
            cursor = self._resumed(codec, head, stream)
            last = self._read(codec, stream, cursor)
            self._flush()
            self._keep_cursor(codec, head, cursor, last, stream)
        return self._finish(codec, catch_up=catch_up, repairs=repairs)

    def _own_name(self, head: bytes) -> str:
        """For a file that names no session: its own name, and a hash of where it is, as many are called alike."""
        if self.path == "-":
            return f"stdin-{blake2b(head, digest_size=3).hexdigest()}"
        where = blake2b(str(Path(self.path).absolute()).encode("utf-8", "replace"), digest_size=3).hexdigest()
        return f"{Path(self.path).name.split('.')[0]}-{where}"

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _read(self, codec: Codec, stream: BinaryIO, cursor: Cursor | None) -> RawRecord | None:
        """All records; returns the last one that was whole."""
        base = cursor.offset if cursor else 0
        lines = cursor.line if cursor else 0
        last: RawRecord | None = None
        torn: RawRecord | None = None
        for raw in codec.split(stream):
            if torn is not None:
                self._unreadable(codec, torn, "broken record")
                torn = None
            if isinstance(raw, Skipped):
                self._skip(replace(raw, line=raw.line + lines))
                continue
            if cursor is not None:
                raw = replace(raw, line=raw.line + lines, end=raw.end + base)
            self.progress(raw.end)
            try:
                record = registry.codec(raw.format or codec.name).read(raw.body)
            except ValueError as error:
                torn, self._why = raw, str(error)
                continue
            last = raw
            self._keyless = self._keyless or not record.key
            self._take(raw, codec.name, record)
        if torn is not None:
            self._torn_end(codec, torn)
        return last

    def _take(self, raw: RawRecord, format: str, record: Record) -> None:
        self._batch.append((self._session_id(raw, record), Incoming(raw.format or format, raw.body, record)))
        self._batch_bytes += len(raw.body)
        if len(self._batch) >= _BATCH_RECORDS or self._batch_bytes >= _BATCH_BYTES:
            self._flush()

    def _session_id(self, raw: RawRecord, record: Record) -> str:
        """One file is one session, unless it says that it holds several."""
        if raw.session:
            return f"{self.session or self._stem}-{raw.session}"
        if not self.session and record.facts.session:
            self.session = record.facts.session
        return self.session

    def _unreadable(self, codec: Codec, raw: RawRecord, what: str) -> None:
        """Kept byte for byte as bookkeeping: what cannot be read today is not lost."""
        self._skip(Skipped(raw.line, f"{what}: {self._why}"))
        record = Record(key="unreadable:" + blake2b(raw.body, digest_size=16).hexdigest())
        self._take(raw, codec.name, record)

    def _torn_end(self, codec: Codec, raw: RawRecord) -> None:
        if raw.line:
            self._skip(Skipped(raw.line, f"torn last line, read again when it is whole: {self._why}"))
        else:
            self._unreadable(codec, raw, "broken record")

    def _skip(self, skipped: Skipped) -> None:
        self._skipped.append(skipped)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        batch, self._batch, self._batch_bytes = self._batch, [], 0
        by_session: dict[str, list[Incoming]] = {}
        for id, incoming in batch:
            by_session.setdefault(id or self.session or self._stem or "session", []).append(incoming)
        for id, incomings in by_session.items():
            self._append(id, incomings)

    def _append(self, id: str, incoming: list[Incoming]) -> None:
        session = self._sessions.get(id)
        if session is None:
            session = self._sessions[id] = self.engine.session(self._free_id(id, incoming), source=self._name)
            self._tellings[id] = Telling(incoming[0].format)
            self.reports[id] = ImportReport(self.path, incoming[0].format, session.id)
        before = session.info.messages
        done = self.engine.ledger.append(session.info, incoming, self._tellings[id])
        self.reports[id].new_messages += done.info.messages - before
        if done.entries:
            ids = tuple(f"m{number}" for number in dict.fromkeys(done.numbers))
            self.engine.events.emit("recorded", session=session.id, messages=ids)

    def _free_id(self, id: str, incoming: list[Incoming]) -> str:
        """The id, unless another client's file told a session of that id: two renderings never mix."""
        known = self.engine.store.session(self.engine.key(id))
        client = next((one.record.facts.client for one in incoming if one.record.facts.client), "")
        is_other = known is not None and known.client and client and known.client != client
        return f"{id}-{client}" if is_other else id

    def _finish(self, codec: Codec, *, catch_up: bool, repairs: bool) -> list[ImportReport]:
        for id, session in self._sessions.items():
            report = self.reports[id]
            report.format = codec.name
            report.messages = session.info.messages
            if catch_up:
                self.engine.catch_up(session.info)
                report.repairs = len(session.prompt()[1]) if repairs else 0
        reports = list(self.reports.values()) or [ImportReport(self.path, codec.name, self.session)]
        reports[0].skipped = self._reported()
        return reports

    def _reported(self) -> list[Skipped]:
        more = len(self._skipped) - _MAX_REPORTED
        return self._skipped if more <= 0 else [*self._skipped[:_MAX_REPORTED], Skipped(0, f"and {more} more")]

    # ── our own files ────────────────────────────────────────────────────────────────────────────────

    def _restored(self, head: bytes, stream: BinaryIO) -> bool:
        """An exported session comes back with every number as it was; one that is here in part is completed."""
        try:
            header = clew_format.read_line(head.split(b"\n", 1)[0])
        except ValueError:
            return False
        if not isinstance(header, SessionInfo):
            return False
        key = self.engine.key(self.session or header.key.id)
        known = self.engine.store.session(key)
        before = known.messages if known else 0
        info = known or replace(header, key=key, source=self._name, entries=0, messages=0)
        entries = self._beyond(key, known.entries if known else 0, self._entries(stream))
        for batch in _batches(entries):
            last = batch[-1][0]
            messages = max(info.messages, *(entry.message for entry, _ in batch))
            info = replace(header, key=key, source=self._name, entries=last.seq, messages=messages)
            self.engine.ledger.adopt(info, batch)
        self._sessions[key.id] = self.engine.session(key.id)
        self.reports[key.id] = ImportReport(self.path, clew_format.NAME, key.id, new_messages=info.messages - before)
        return True

    def _beyond(
        self, key: SessionKey, count: int, told: Iterator[tuple[Entry, Record]]
    ) -> Iterator[tuple[Entry, Record]]:
        """What a file tells beyond the entries that are here already; both have to agree on those."""
        here = self.engine.ledger.entries(key, until=count)
        for entry, record in told:
            if entry.seq > count:
                yield entry, record
            elif next(here).body != entry.body:
                raise UsageError(
                    f"session {key.id} is here already and differs; import under another id with --session"
                )

    def _entries(self, stream: BinaryIO) -> Iterator[tuple[Entry, Record]]:
        """Entries with numbers that follow on; a broken line is reported, and what comes after it moves up."""
        seq = 0
        for raw in jsonio.lines(stream):
            if isinstance(raw, Skipped):
                self._skip(raw)
                continue
            try:
                entry = clew_format.read_line(raw.body)
                if isinstance(entry, SessionInfo):
                    continue
                record = decoded(entry)[1]
            except ValueError as error:
                self._skip(Skipped(raw.line, f"broken record: {error}"))
                continue
            seq += 1
            self.progress(raw.end)
            yield replace(entry, seq=seq), record

    # ── cursors ──────────────────────────────────────────────────────────────────────────────────────

    def _resumed(self, codec: Codec, head: bytes, stream: BinaryIO) -> Cursor | None:
        """The place to read on from, if this is still the file that was read before."""
        cursor = self._cursor()
        if cursor is None or cursor.format != codec.name or not stream.seekable():
            return None
        size = stream.seek(0, 2)
        known = cursor.head == _head(head[: min(cursor.offset, _HEAD_BYTES)]) and size >= cursor.offset
        known = known and cursor.tail == self._tail(stream, cursor.offset)
        session = self.engine.store.session(self.engine.key(cursor.session))
        wanted = not self._given or self.engine.key(self._given).id == cursor.session
        is_same = known and session is not None and wanted
        stream.seek(cursor.offset if is_same else 0)
        if is_same:
            self.session = cursor.session
            self._sessions[cursor.session] = self.engine.session(cursor.session)
            self._tellings[cursor.session] = Telling(codec.name)
            self.reports[cursor.session] = ImportReport(self.path, codec.name, cursor.session)
        return cursor if is_same else None

    @staticmethod
    def _tail(stream: BinaryIO, offset: int) -> str:
        """What stands just before the place: a file that was cut and has grown again differs there."""
        stream.seek(max(0, offset - _HEAD_BYTES))
        return _head(stream.read(min(offset, _HEAD_BYTES)))

    def _keep_cursor(
        self, codec: Codec, head: bytes, cursor: Cursor | None, last: RawRecord | None, stream: BinaryIO
    ) -> None:
        """Only files of lines that all have a key can be read on from the middle."""
        is_whole = last is None or not last.line or last.session or self._keyless or not stream.seekable()
        if is_whole or last is None or self.path == "-" or len(self._sessions) != 1:
            return
        session = next(iter(self._sessions.values()))
        start = _head(head[: min(last.end, _HEAD_BYTES)])
        new = Cursor(codec.name, session.id, last.end, last.line, start, self._tail(stream, last.end))
        if new != cursor:
            self.engine.store.put_values(*self._owner, "cursor", {self._name: orjson.dumps(new)})

    def _cursor(self) -> Cursor | None:
        raw = self.engine.store.values(*self._owner, "cursor", [self._name]).get(self._name)
        return Cursor(**orjson.loads(raw)) if raw else None

    @property
    def _owner(self) -> tuple[str, str]:
        return self.engine.config.tenant, self.engine.config.user

    @property
    def _name(self) -> str:
        return str(Path(self.path).absolute())


def _head(head: bytes) -> str:
    return blake2b(head, digest_size=16).hexdigest()


def _batches(entries: Iterator[tuple[Entry, Record]]) -> Iterator[list[tuple[Entry, Record]]]:
    while batch := list(islice(entries, _BATCH_RECORDS)):
        yield batch


class Follower:
    """Reads on in a file whenever it has changed since the last turn."""

    def __init__(self, engine: Engine, path: Path | str, *, format: str = "auto", session: str = "") -> None:
        self._engine, self._path, self._format, self._session = engine, Path(path), format, session
        self._seen: tuple[int, int] | None = None

    def turn(self) -> list[ImportReport]:
        """What is new; nothing while the file is as it was, or is gone for the moment."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            return []
        now = (status.st_size, status.st_mtime_ns)
        if now == self._seen or status.st_size == 0:
            return []
        self._seen = now
        return Importer(self._engine, self._path, format=self._format, session=self._session).run(repairs=False)
