"""Recovery of a session after its store was damaged: what the ledger can give again, and what is lost for good."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from clew.codecs import jsonio
from clew.codecs.clew_format import NAME
from clew.domain import Entry, EntryKind, Output, Record, SessionInfo, SessionKey, Text
from clew.engine.ledger.blob_texts import text_blobs
from clew.engine.ledger.deduplication import AppendBatch
from clew.engine.ledger.entries import EntryLog, decode_stored, read_again
from clew.engine.ledger.marks import FreshMarks
from clew.engine.ledger.records import ChannelCursor
from clew.history.body_blobs import blob_references
from clew.ports import Store


class Recovery:
    """Works on one session. Everything is written within the caller's transaction."""

    def __init__(self, info: SessionInfo, *, store: Store, log: EntryLog, secret: bytes) -> None:
        self._info, self._store, self._log, self._secret = info, store, log, secret

    @property
    def _key(self) -> SessionKey:
        return self._info.key

    def remake_marks(self, records: Mapping[int, Record]) -> None:
        """Sets the marks of all entries; ``records`` has what a file says of them, by number."""
        marks = FreshMarks(self._store, self._key, self._secret)
        batch = AppendBatch(self._info, marks, ChannelCursor(""), 0.0, lambda _number: False)
        if self._info.source:
            batch.note_whole_channel()
        for entry in self._log.read(self._key):
            if not entry.kind.is_of_clew:
                batch.adopt(entry, records.get(entry.seq) or read_again(entry))
        marks.flush()

    def restore_texts(self) -> None:
        """Stores texts of messages again that were kept as blobs of their own and are lost."""
        missing = self._store.gaps(self._info).blobs
        if missing:
            blobs = text_blobs(self._texts())
            self._store.put_blobs(self._key, {digest: blobs[digest] for digest in missing if digest in blobs})

    def _texts(self) -> Iterable[str]:
        for entry in self._log.read(self._key):
            message = decode_stored(entry)[1].message
            yield from (part.text for part in (message.parts if message else ()) if isinstance(part, Text | Output))

    def settle(self) -> None:
        """Once every message is there again, what is still missing is Clew's own and lost for good: notes on former
        packs, and pins. Their numbers are taken by notes that say so.
        """
        gaps = self._store.gaps(self._info)
        if gaps.messages:
            return
        self._store.release_blobs(self._key, set(gaps.blobs) - set(self._needed_blobs()))
        note = jsonio.dumps({"lost": True})
        lost = [Entry(seq=seq, kind=EntryKind.NOTE, format=NAME, body=note) for seq in gaps.entries]
        self._log.restore(self._key, lost)

    def _needed_blobs(self) -> Collection[str]:
        """Blobs that records of the conversation refer to."""
        entries = self._store.entries(self._key)
        return [digest for entry in entries if not entry.kind.is_of_clew for digest in blob_references(entry.body)]
