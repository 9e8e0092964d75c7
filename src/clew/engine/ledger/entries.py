"""Storage of entries:
long strings become blobs, secrets are masked where that is configured, and bodies are read whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from clew.codecs import registry
from clew.domain import Entry, EntryKind, Record, SessionKey
from clew.errors import ClewError
from clew.history.body_blobs import join_body, split_body
from clew.ports import Store


class EntryLog:
    """Writes and reads the entries of all sessions of one store."""

    def __init__(self, store: Store, mask: Callable[[bytes], bytes] | None = None) -> None:
        self._store, self._mask = store, mask

    def write(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Stores entries with the sequence numbers they have. Long strings are stored as blobs."""
        stored, blobs = [], dict[str, bytes]()
        for entry in entries:
            body, found = split_body(self.mask(entry.body))
            blobs |= found
            stored.append(_with_body(entry, body))
        if blobs:
            self._store.put_blobs(key, blobs)
        self._store.append(key, stored)

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

    def _whole(self, key: SessionKey, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            yield _with_body(entry, join_body(entry.body, lambda digests: self._store.blobs(key, digests)))


def decode(entry: Entry) -> tuple[Entry, Record]:
    """Returns an entry with its decoded record. Bookkeeping gets an empty record and need not be readable."""
    if entry.kind.is_bookkeeping:
        return entry, Record(key="")
    return entry, registry.codec(entry.format).read(entry.body)


def decode_with_notes(entry: Entry) -> tuple[Entry, Record]:
    """As ``decode``, and of a client's bookkeeping what it reports of its prompt, as far as that can be read."""
    if entry.kind is not EntryKind.NOTE:
        return decode(entry)
    try:
        return entry, Record(key="", report=registry.codec(entry.format).read(entry.body).report)
    except (ClewError, ValueError, TypeError, KeyError):
        return entry, Record(key="")


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
