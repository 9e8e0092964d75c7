"""The importer: reads transcripts into sessions, whole files, several conversations in one, and files that still grow.

Records that cannot be read are stored as they stand, as bookkeeping, and reported by line. A cursor for each file
remembers how far it was read, and notices when the file was cut or replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from clew.codecs import clew_format, registry
from clew.codecs.sources import open_source, peek
from clew.domain import Opaque, Record, SkippedRecord
from clew.engine.ingest.collector import collector_paused
from clew.engine.ingest.file_cursors import FileCursor, FileCursors, hash_before, hash_head
from clew.engine.ingest.read_ahead import BATCH_BYTES, BATCH_RECORDS, ReadAhead, read_records
from clew.engine.ingest.recorder import Recorder, RecordOrigin
from clew.engine.ingest.restore import Restoration
from clew.engine.ledger.entries import unreadable
from clew.engine.ledger.ledgers import Ledgers
from clew.engine.ledger.records import ChannelCursor, DecodedRecord
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.engine.services import Services
from clew.errors import NoConversation
from clew.history.repair.content_rules import REASONING_BOUND
from clew.ports import Codec, RawRecord

#: So much of a file is read without finding a message before it is given up.
_SILENT_BYTES = 64 << 20
#: Most broken lines that are reported one by one; the rest is counted.
_MAX_REPORTED = 100


@dataclass(slots=True)
class ImportReport:
    """What became of one file, or of one conversation in it. ``restored`` counts entries that the store had lost;
    ``repairs`` what a valid request would have to repair, None where that was not counted; ``conversation`` is its name
    within a file that holds several.
    """

    path: str
    format: str
    session: str
    messages: int = 0
    new_messages: int = 0
    restored: int = 0
    repairs: int | None = None
    skipped: list[SkippedRecord] = field(default_factory=list)
    conversation: str = ""


@dataclass(frozen=True, slots=True)
class ImportDependencies:
    """What an import needs: ledgers, file cursors, services, and a function that makes recorders."""

    ledgers: Ledgers
    cursors: FileCursors
    services: Services
    recorder: Callable[[SessionLedger], Recorder]


@dataclass(slots=True)
class _Conversation:
    """One conversation of the file, on its way into a session."""

    ledger: SessionLedger
    recorder: Recorder
    cursor: ChannelCursor
    report: ImportReport
    #: All that the file says of a session with gaps: they are refilled once it is read.
    refill: list[DecodedRecord] | None = None


class Importer:
    """Imports one file. ``session`` puts everything under one id; ``ahead`` has read the file already, perhaps."""

    def __init__(
        self,
        needs: ImportDependencies,
        path: Path | str,
        *,
        format: str = "auto",
        session: str = "",
        progress: Callable[[int], object] | None = None,
        ahead: ReadAhead | None = None,
    ) -> None:
        self._ahead = ahead
        self._needs, self._path, self._session = needs, str(path), session
        self._format, self._progress = format, progress or (lambda _bytes: None)
        self._given, self._has_keyless = session, False
        self._conversations: dict[str, _Conversation] = {}
        self._batch: list[tuple[str, DecodedRecord]] = []
        self._batch_bytes = 0
        self._silent: dict[str, list[DecodedRecord]] = {}
        self._silent_bytes, self._spoken = 0, set[str]()
        self._names: dict[str, str] = {}
        self._skipped: list[SkippedRecord] = []
        self._why = ""
        self._opaque: dict[str, list[int]] = {}
        self._stem, self._projects, self._indexes = "", True, True

    def run(self, *, project: bool = True, index: bool = True, repairs: bool = True) -> list[ImportReport]:
        """Records what is new in the file and returns a report for each conversation.

        Raises NoConversation, and stores nothing, where no message in it was understood.
        Without ``project``, projections are left to the first reader, all but the index of words; without ``index``,
        that one too. Without ``repairs``, the report does not count what a valid request would have to repair. A cursor
        is stored for files that grow line by line.
        """
        self._projects, self._indexes = project, index
        with open_source(self._path) as stream, nullcontext() if project else collector_paused():
            head = peek(stream)
            self._stem = self._own_name(head)
            codec = self._codec(head)
            if codec.name != clew_format.NAME or not self._restore(head, stream):
                cursor = self._resume(codec, head, stream)
                last = self._read(codec, stream, cursor)
                self._flush()
                self._keep_leftovers()
                self._refill()
                self._keep_cursor(codec, head, cursor, last, stream)
        if not any(conversation.ledger.is_stored for conversation in self._conversations.values()):
            raise self._nothing_said(codec, head)
        return self._finish(codec, repairs=repairs)

    def _codec(self, head: bytes) -> Codec:
        if self._format == "auto":
            return registry.detect(head, self._path)
        return registry.codec_for_file(self._format, head)

    def _own_name(self, head: bytes) -> str:
        """For a file that names no session: its own name, and a hash of where it is, as many are called alike."""
        if self._path == "-":
            return f"stdin-{blake2b(head, digest_size=3).hexdigest()}"
        where = blake2b(self._name.encode("utf-8", "replace"), digest_size=3).hexdigest()
        return f"{Path(self._path).name.split('.')[0]}-{where}"

    @property
    def _name(self) -> str:
        return str(Path(self._path).absolute())

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _read(self, codec: Codec, stream: BinaryIO, cursor: FileCursor | None) -> RawRecord | None:
        """All records; returns the last one that was whole."""
        base = cursor.offset if cursor else 0
        lines = cursor.line if cursor else 0
        last: RawRecord | None = None
        torn: RawRecord | None = None
        ahead = self._ahead if cursor is None else None
        decoded = ahead.records(self._path, codec, stream) if ahead else read_records(codec, stream)
        for raw, record, why in decoded:
            if torn is not None:
                self._keep_unreadable(codec, torn)
                torn = None
            if isinstance(raw, SkippedRecord):
                self._skipped.append(replace(raw, line=raw.line + lines))
                continue
            if cursor is not None:
                raw = replace(raw, line=raw.line + lines, end=raw.end + base)
            self._progress(raw.end)
            if self._silent_bytes > _SILENT_BYTES and not self._conversations:
                break
            if record is None:
                torn, self._why = raw, why
                continue
            last = raw
            record = replace(record, repeats=raw.repeats) if raw.repeats else record
            self._note_opaque(raw.line, record)
            self._has_keyless = self._has_keyless or not record.key
            self._add(raw, codec.name, record)
        if torn is not None:
            self._end_torn(codec, torn)
        return last

    def _note_opaque(self, line: int, record: Record) -> None:
        """Counts parts of kinds that no codec models: they are kept, and somebody should know."""
        for part in record.message.parts_of(Opaque) if record.message else ():
            self._opaque.setdefault(part.kind, []).append(line)

    def _add(self, raw: RawRecord, format: str, record: Record) -> None:
        id = self._session_id(raw, record)
        self._batch.append((id, DecodedRecord(raw.format or format, raw.body, record)))
        self._batch_bytes += len(raw.body)
        if record.message is not None:
            self._spoken.add(id)
        if len(self._batch) >= BATCH_RECORDS or self._batch_bytes >= BATCH_BYTES:
            self._flush()

    def _session_id(self, raw: RawRecord, record: Record) -> str:
        """One file is one session, unless it says that it holds several."""
        if raw.session:
            id = f"{self._session or self._stem}-{raw.session}"
            self._names[id] = raw.session
            return id
        if not self._session and record.facts.session:
            self._session = record.facts.session
        return self._session

    def _keep_unreadable(self, codec: Codec, raw: RawRecord) -> None:
        """Kept byte for byte as bookkeeping: what cannot be read today is not lost."""
        self._skipped.append(SkippedRecord(raw.line, f"broken record: {self._why}"))
        self._add(raw, codec.name, unreadable(raw.body))

    def _end_torn(self, codec: Codec, raw: RawRecord) -> None:
        if raw.line:
            self._skipped.append(SkippedRecord(raw.line, f"torn last line, read again when it is whole: {self._why}"))
        else:
            self._keep_unreadable(codec, raw)

    # ── recording ────────────────────────────────────────────────────────────────────────────────────

    def _flush(self) -> None:
        """Records the batch, but for conversations in which nobody has spoken yet: those wait in memory."""
        batch, self._batch = self._batch, []
        for id, record in batch:
            self._silent.setdefault(id, []).append(record)
        if self._session and (unnamed := self._silent.pop("", None)):
            self._silent[self._session] = unnamed + self._silent.pop(self._session, [])
            self._spoken |= {self._session} if "" in self._spoken else set()
        for id in [id for id in self._silent if id in self._spoken or id in self._conversations]:
            self._record(id or self._stem or "session", self._silent.pop(id))
        self._silent_bytes = self._silent_bytes + self._batch_bytes if self._silent else 0
        self._batch_bytes = 0

    def _keep_leftovers(self) -> None:
        """Records that stand in no conversation stay with the first one: what cannot be read today is not lost."""
        if self._conversations and (records := self._silent.pop("", None)):
            self._record(next(iter(self._conversations)), records)

    def _nothing_said(self, codec: Codec, head: bytes) -> NoConversation:
        where = "standard input" if self._path == "-" else self._path
        why = f" (line {self._skipped[0].line}: {self._skipped[0].reason})" if self._skipped else ""
        looks = _looks_like(head)
        if self._format == "auto" or looks in {"", codec.name}:
            message = f"{where} looks like {codec.name}, but no message in it was understood{why}"
            return NoConversation(message, format=codec.name, hint="name its format if it is another", about="format")
        message = f"{where} holds no message that {self._format} understands{why}; it looks like {looks}"
        return NoConversation(message, format=looks, hint="let its format be found", about="found format")

    def _record(self, id: str, records: list[DecodedRecord]) -> None:
        if id not in self._conversations:
            self._begin(id, self._ledger(self._free_id(id, records), records), records[0].format)
        conversation = self._conversations[id]
        if conversation.refill is not None:
            conversation.refill += records
            return
        self._append(conversation, records)
        if self._projects:
            conversation.ledger.bring_up_to_date()

    def _ledger(self, id: str, records: list[DecodedRecord]) -> SessionLedger:
        """The session's ledger, which comes from this file, unless the file adds a subagent's thread to it."""
        ledger = self._needs.ledgers.open(id)
        if ledger.is_stored and all(not record.record.message or record.record.message.thread for record in records):
            return ledger
        return self._needs.ledgers.open(id, about={"source": self._name})

    def _refill(self) -> None:
        for conversation in self._conversations.values():
            if conversation.refill is not None:
                done = conversation.ledger.refill(conversation.refill)
                conversation.report.restored = len(done.entries) + len(done.blobs)
                self._append(conversation, done.rest)

    def _append(self, conversation: _Conversation, records: list[DecodedRecord]) -> None:
        done = conversation.recorder.record(records, conversation.cursor, RecordOrigin.IMPORTED, index=self._indexes)
        conversation.report.new_messages += done.new

    def _begin(self, id: str, ledger: SessionLedger, format: str) -> None:
        report = ImportReport(self._path, format, ledger.id, conversation=self._names.get(id, ""))
        conversation = _Conversation(ledger, self._needs.recorder(ledger), ChannelCursor(format), report)
        conversation.refill = [] if ledger.gaps() else None
        self._conversations[id] = conversation

    def _free_id(self, id: str, records: list[DecodedRecord]) -> str:
        """The id, unless a file of another client has a session of that id: two renderings never mix."""
        ledger = self._needs.ledgers.open(id)
        client = next((record.record.facts.client for record in records if record.record.facts.client), "")
        recorded = ledger.info.client if ledger.is_stored else ""
        return f"{id}-{client}" if recorded and client and recorded != client else id

    def _restore(self, head: bytes, stream: BinaryIO) -> bool:
        """Reads a file of our own; one that is here in part is completed."""
        restoration = Restoration(self._skipped.append, self._progress)
        header = restoration.header(head)
        if header is None:
            return False
        ledger = self._needs.ledgers.open(self._session or header.key.id)
        new, restored = restoration.restore(header, ledger, stream, source=self._name)
        self._begin(ledger.id, ledger, clew_format.NAME)
        report = self._conversations[ledger.id].report
        report.new_messages, report.restored = new, restored
        return True

    def _finish(self, codec: Codec, *, repairs: bool) -> list[ImportReport]:
        for conversation in self._conversations.values():
            conversation.report.format = codec.name
            conversation.report.messages = conversation.ledger.info.messages
            if self._projects:
                complete(conversation.report, conversation.ledger, self._needs, repairs=repairs)
        max(
            self._conversations.values(), key=lambda conversation: conversation.ledger.info.updated
        ).ledger.mark_latest()
        reports = [conversation.report for conversation in self._conversations.values()]
        self._skipped += [_opaque_parts(kind, lines) for kind, lines in self._opaque.items()]
        reports[0].skipped = self._reported_skips()
        return reports

    def _reported_skips(self) -> list[SkippedRecord]:
        more = len(self._skipped) - _MAX_REPORTED
        return self._skipped if more <= 0 else [*self._skipped[:_MAX_REPORTED], SkippedRecord(0, f"and {more} more")]

    # ── reading on ───────────────────────────────────────────────────────────────────────────────────

    def _resume(self, codec: Codec, head: bytes, stream: BinaryIO) -> FileCursor | None:
        """The place to read on from, if this is still the file that was read before."""
        cursor = self._needs.cursors.get(self._name)
        if cursor is None or cursor.format != codec.name or not stream.seekable():
            return None
        ledger = self._needs.ledgers.open(cursor.session)
        is_wanted = not self._given or self._needs.ledgers.key(self._given).id == cursor.session
        is_whole = ledger.is_stored and not ledger.gaps()
        is_same = cursor.matches(head, stream) and is_whole and is_wanted
        stream.seek(cursor.offset if is_same else 0)
        if not is_same:
            return None
        self._session = cursor.session
        self._begin(cursor.session, ledger, codec.name)
        return cursor

    def _keep_cursor(
        self, codec: Codec, head: bytes, cursor: FileCursor | None, last: RawRecord | None, stream: BinaryIO
    ) -> None:
        """Only files of lines that all have a key can be read on from the middle."""
        is_whole = last is None or not last.line or last.session or self._has_keyless or not stream.seekable()
        if is_whole or last is None or self._path == "-" or len(self._conversations) != 1:
            return
        session = next(iter(self._conversations.values())).ledger.id
        start, before = hash_head(head, last.end), hash_before(stream, last.end)
        new = FileCursor(codec.name, session, last.end, last.line, start, before)
        if new != cursor:
            self._needs.cursors.put(self._name, new)


def complete(report: ImportReport, ledger: SessionLedger, needs: ImportDependencies, *, repairs: bool) -> None:
    """Makes all that is derived from an imported session, judges what was retrieved in it, and counts repairs."""
    ledger.bring_up_to_date()
    needs.recorder(ledger).judge_imported()
    if repairs:
        made = SessionReader(ledger, needs.services).prompt()[1]
        # Thinking that a repair leaves unbound is not sent at all: that is no fault of the history.
        report.repairs = sum(repair.rule != REASONING_BOUND for repair in made)


def _opaque_parts(kind: str, lines: list[int]) -> SkippedRecord:
    many = f"{len(lines)} parts, kept as they are" if len(lines) > 1 else "a part, kept as it is"
    return SkippedRecord(lines[0], f"{kind!r} is a kind that is not read here: {many}")


def _looks_like(head: bytes) -> str:
    """The format of a file that begins so; empty where it is none that is known."""
    try:
        return registry.detect(head).name
    except NoConversation:
        return ""
