"""One session as the store has it: its row, entries, blobs and small values."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from threading import get_ident

from clew.codecs import jsonio
from clew.domain import Entry, Json, Record, SessionInfo, SessionKey
from clew.engine.ledger.blob_texts import find_text
from clew.engine.ledger.entries import EntryLog, decode_stored
from clew.history.body_blobs import blob_references
from clew.ports import Gaps, Store
from clew.retrieval.vector_rows import VectorRows


class StoredSession:
    """Reads what is stored of one session. Nothing that is derived is brought up to date by it."""

    def __init__(self, info: SessionInfo, *, store: Store, log: EntryLog, is_fixed: bool) -> None:
        self._info, self._store, self._log, self._is_fixed = info, store, log, is_fixed
        #: The row by thread, while something is built of that one state.
        self._held: dict[int, SessionInfo] = {}

    @property
    def key(self) -> SessionKey:
        """Tenant, user and id."""
        return self._info.key

    @property
    def id(self) -> str:
        """The session's id."""
        return self._info.key.id

    @property
    def info(self) -> SessionInfo:
        """The session's row as it is now in the store; while it is not stored, the row it was opened with."""
        return self._row() or self._info

    def _row(self) -> SessionInfo | None:
        return self._info if self._is_fixed else self._held.get(get_ident()) or self._store.session(self.key)

    @property
    def is_stored(self) -> bool:
        """False before the first record, and after a purge."""
        return self._row() is not None

    # ── entries ──────────────────────────────────────────────────────────────────────────────────────

    def entries(self, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        """Yields entries with after < seq <= until, in order."""
        return self._log.read(self.key, after=after, until=until)

    def read(self, *, after: int = 0, until: int | None = None, shared: bool = False) -> Iterator[tuple[Entry, Record]]:
        """Yields entries with their decoded records, in order; ``shared`` for those who hand them to nobody."""
        return (decode_stored(entry, shared=shared) for entry in self.entries(after=after, until=until))

    def read_messages(self, first: int, last: int, *, shared: bool = False) -> Iterator[tuple[Entry, Record]]:
        """Like ``read``, for the messages with numbers first to last."""
        return (decode_stored(message, shared=shared) for message in self._log.read_messages(self.key, first, last))

    def body(self, seq: int) -> Json:
        """Returns the JSON body of an entry that Clew itself wrote; an empty one where the entry is lost."""
        entry = next(self.entries(after=seq - 1, until=seq), None)
        body: Json = jsonio.loads(entry.body) if entry else {}
        return body

    def gaps(self) -> Gaps:
        """Returns what a damaged store has lost of the session."""
        return self._store.gaps(self.info)

    def size_of_blobs(self, digests: Collection[str]) -> int:
        """Returns the bytes of blobs, as far as entries that refer to them tell."""
        sizes: dict[str, int] = {}
        for entry in self._store.entries(self.key):
            sizes |= blob_references(entry.body)
        return sum(sizes.get(digest, 0) for digest in digests)

    def mask(self, body: bytes) -> bytes:
        """Returns the bytes as the ledger would store them."""
        return self._log.mask(body)

    # ── blobs and small values ───────────────────────────────────────────────────────────────────────

    def find_blobs(self, prefix: str) -> list[str]:
        """Returns digests of the session's blobs that begin with the prefix."""
        return self._store.find_blobs(self.key, prefix)

    def blob(self, digest: str) -> bytes:
        """Returns the bytes of a blob by its whole digest."""
        return self._store.blobs(self.key, [digest])[digest]

    def text(self, id: str) -> str | None:
        """Returns the text of a blob id (b and the first digits of the digest);
        None where it names none, or several.
        """
        return find_text(self._store, self.key, id)

    def vector_rows(self) -> VectorRows:
        """Returns the vectors of the session's messages, as they are stored."""
        return VectorRows(self._store, self.key)

    def cached_value(self, space: str, name: str) -> bytes | None:
        """Returns a value from a cache that is stored with the session; None where there is none."""
        return self._store.row(self.key, space, name)

    def cache_values(self, space: str, values: dict[str, bytes]) -> None:
        """Stores values in a cache that belongs to the session. Does nothing while the session is not stored."""
        if self._store.session(self.key) is not None:
            self._store.put_rows(self.key, space, dict(values))
