"""Restores an exported session, with every number as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import BinaryIO

from clew.codecs import clew_format, jsonio
from clew.domain import Entry, Record, SessionInfo, SkippedRecord
from clew.engine.ledger.entries import decode
from clew.engine.ledger.session_ledger import SessionLedger
from clew.errors import UsageError
from clew.history.body_blobs import is_lost
from clew.ports import RawRecord

_BATCH_ENTRIES = 1000


class Restoration:
    """Reads one file in Clew's own format. What it cannot read is passed to ``skip``."""

    def __init__(self, skip: Callable[[SkippedRecord], None], progress: Callable[[int], object]) -> None:
        self._skip, self._progress = skip, progress
        self._lost: list[tuple[Entry, Record]] = []

    @staticmethod
    def header(head: bytes) -> SessionInfo | None:
        """Returns the session that a file begins with; None for a file in another format."""
        try:
            header = clew_format.read_line(head.split(b"\n", 1)[0])
        except ValueError:
            return None
        return header if isinstance(header, SessionInfo) else None

    def restore(self, header: SessionInfo, ledger: SessionLedger, stream: BinaryIO, *, source: str) -> tuple[int, int]:
        """Appends the entries that the ledger does not have yet, and brings back those that it has lost.
        Returns how many messages are new, and how many entries came back.

        Raises UsageError if the entries that it has differ from the file.
        """
        header = replace(header, key=ledger.key, named=ledger.info.named)  # whose it is, is not for a file to say
        before_info = ledger.info if ledger.is_stored else replace(header, entries=0, messages=0)
        messages = before = before_info.messages
        for batch in _batches(self._entries_beyond(ledger, before_info.entries, self._entries(stream))):
            messages = max(messages, *(entry.message for entry, _ in batch))
            entries = batch[-1][0].seq
            ledger.adopt(replace(header, source=source, entries=entries, messages=messages), batch)
        if self._lost:
            ledger.restore(self._lost)
        return messages - before, len(self._lost)

    def _entries_beyond(
        self, ledger: SessionLedger, count: int, pairs: Iterator[tuple[Entry, Record]]
    ) -> Iterator[tuple[Entry, Record]]:
        """What a file holds beyond the entries that are here already; both have to agree on those."""
        here, missing = ledger.entries(until=count), frozenset(ledger.gaps().entries)
        for entry, record in pairs:
            if entry.seq > count:
                yield entry, record
                continue
            body = None if entry.seq in missing else next(here).body
            if body is None or is_lost(body):
                self._lost.append((entry, record))
            elif body != entry.body:
                raise UsageError(
                    f"session {ledger.id} is here already and differs",
                    hint="import it under another id",
                    about="session id",
                )

    def _entries(self, stream: BinaryIO) -> Iterator[tuple[Entry, Record]]:
        """Entries with numbers that follow on; a broken line is reported, and what comes after it moves up."""
        seq = 0
        for raw in jsonio.lines(stream):
            if isinstance(raw, SkippedRecord):
                self._skip(raw)
                continue
            pair = self._read(raw)
            if pair is None:
                continue
            entry, record = pair
            seq += 1
            self._progress(raw.end)
            yield replace(entry, seq=seq), record

    def _read(self, raw: RawRecord) -> tuple[Entry, Record] | None:
        """The entry of a line, or nothing for a header and what is broken. What cannot be read is kept as a note."""
        try:
            entry = clew_format.read_line(raw.body)
            return None if isinstance(entry, SessionInfo) else decode(entry)
        except (ValueError, UsageError) as error:
            note = clew_format.read_as_note(raw.body)
            self._skip(
                SkippedRecord(raw.line, f"{'kept as it is, but not read' if note else 'broken record'}: {error}")
            )
            return (note, Record(key="")) if note else None


def _batches(entries: Iterator[tuple[Entry, Record]]) -> Iterator[list[tuple[Entry, Record]]]:
    while batch := list(islice(entries, _BATCH_ENTRIES)):
        yield batch
