"""Storage of entries:
long strings become blobs, secrets are masked where that is configured, and bodies are read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

from clew.codecs import registry
from clew.codecs.clew_format import NAME
from clew.domain import Entry, EntryKind, Record, SessionKey
from clew.errors import ClewError
from clew.history.body_blobs import blob_references, is_lost, join_body, split_body
from clew.history.lost_content import without_lost_content
from clew.ports import Store
from clew.text.memo import remember


class EntryLog:
    """Writes and reads the entries of all sessions of one store."""

    def __init__(self, store: Store, mask: Callable[[bytes], bytes] | None = None) -> None:
        self._store, self._mask = store, mask

    def write(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Stores entries with the sequence numbers they have. Long strings are stored as blobs."""
        self._store.append(key, self._split(key, entries))

    def restore(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Stores entries that were lost, under the numbers they had."""
        self._store.restore_entries(key, self._split(key, entries))

    def rewrite(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Stores entries in the place of those that have their numbers, for deleting words from them alone."""
        with self._store.transaction():
            before = {entry.seq: entry for entry in self._store.entries(key)}
            named = {name for entry in entries for name in self.stored_form(entry.body)[1]}
            gone = {name for entry in entries for name in blob_references(before[entry.seq].body)} - named
            self._store.delete_entries(key, [entry.seq for entry in entries])
            self.restore(key, entries)
            self._store.release_blobs(key, gone)

    def _split(self, key: SessionKey, entries: Sequence[Entry]) -> list[Entry]:
        stored, blobs = [], dict[str, bytes]()
        for entry in entries:
            body, new_blobs = self.stored_form(entry.body)
            blobs |= new_blobs
            stored.append(_with_body(entry, body))
        if blobs:
            self._store.put_blobs(key, blobs)
        return stored

    def stored_form(self, body: bytes) -> tuple[bytes, dict[str, bytes]]:
        """Returns the form in which a body would be stored, and the blobs it refers to."""
        return split_body(self.mask(body))

    @property
    def masks(self) -> bool:
        """True when secrets are masked before they are stored."""
        return self._mask is not None

    def mask(self, body: bytes) -> bytes:
        """Returns the bytes as they would be stored: with secrets masked where that is configured."""
        return self._mask(body) if self._mask else body

    def read(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        """Yields entries with after < seq <= until, in order, with whole bodies."""
        return self._whole(key, self._store.entries(key, after=after, until=until))

    def read_messages(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        """Yields the entries of the messages with numbers first to last, with whole bodies."""
        return self._whole(key, self._store.entries_of(key, first, last))

    def whole(self, key: SessionKey, entry: Entry) -> Entry:
        """Returns an entry as the store has it, with its whole body."""
        return _with_body(entry, join_body(entry.body, lambda digests: self._store.blobs(key, digests)))

    def _whole(self, key: SessionKey, entries: Iterator[Entry]) -> Iterator[Entry]:
        return (self.whole(key, entry) for entry in entries)


#: Formats of messages that callers hand in, and that tell no time: theirs is when they were recorded.
HANDED_IN = {*registry.PROVIDERS, NAME}
#: Records that are remembered while they are new, as many as the newest part of a session that stories are told from
#: has, and the longest of them in bytes.
_MOST_SHARED, _MAX_BYTES = 2_048, 1 << 14


def read_shared(format: str, body: bytes) -> Record:
    """Returns what a codec reads, for those who look at it and hand it to nobody: a record that is new is decoded when
    it is recognised, recorded, projected and packed, and is the same object each time.
    """
    return _remembered(format, body) if len(body) <= _MAX_BYTES else _read(format, body)


def _read(format: str, body: bytes) -> Record:
    return registry.codec(format).read(body)


_remembered = remember(_MOST_SHARED)(_read)


def decode(entry: Entry, *, shared: bool = False) -> tuple[Entry, Record]:
    """Returns an entry with its decoded record. Bookkeeping gets an empty record and need not be readable."""
    if entry.kind.is_bookkeeping:
        return entry, Record(key="")
    return entry, (read_shared if shared else _read)(entry.format, entry.body)


def decode_stored(entry: Entry, *, shared: bool = False) -> tuple[Entry, Record]:
    """Like ``decode``, for an entry that was readable when it was stored: what damage has left of it says nothing, or
    says what is lost. A ``shared`` record is read as ``read_shared`` does.
    """
    try:
        entry, record = decode(entry, shared=shared)
    except ValueError:
        return entry, Record(key="")
    if record.message is not None and is_lost(entry.body):
        record = replace(record, message=without_lost_content(record.message))
    if record.message is not None and record.message.at is None and entry.format in HANDED_IN:
        record = replace(record, message=replace(record.message, at=entry.at))
    return entry, record


def decode_with_notes(entry: Entry) -> tuple[Entry, Record]:
    """As ``decode_stored``, shared, and of a client's bookkeeping what it reports of its prompt, as far as that can be
    read.
    """
    if entry.kind is not EntryKind.NOTE:
        return decode_stored(entry, shared=True)
    try:
        return entry, Record(key="", report=registry.codec(entry.format).read(entry.body).report)
    except (ClewError, ValueError, TypeError, KeyError):
        return entry, Record(key="")


def read_again(entry: Entry) -> Record:
    """Returns what a client's record said when it was recorded, bookkeeping included: how it is recognised."""
    try:
        return registry.codec(entry.format).read(entry.body)
    except (ClewError, ValueError, TypeError, KeyError):
        return unreadable(entry.body)


def unreadable(body: bytes) -> Record:
    """Returns the record of bytes that no codec can read: bookkeeping, recognised by its bytes."""
    return Record(key="unreadable:" + blake2b(body, digest_size=16).hexdigest())


def _with_body(entry: Entry, body: bytes) -> Entry:
    """As ``replace``, which is too slow for what is done to every entry."""
    return Entry(
        seq=entry.seq,
        kind=entry.kind,
        format=entry.format,
        body=body,
        message=entry.message,
        replaces=entry.replaces,
        at=entry.at,
    )
