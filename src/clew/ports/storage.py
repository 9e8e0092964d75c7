"""Stores, and projections of what they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from clew.domain import (
    Entry,
    EntryKind,
    Housekeeping,
    Json,
    Message,
    SessionInfo,
    SessionKey,
)

#: Name of the projection that fills the word index. Index and rows are always cleared together.
WORDS = "words"
#: Name under which vectors of a session's messages are kept: a cache beside the projections, made in the background.
VECTORS = "vectors"
#: Name under which it is kept how far the encoder has read a session, by its version.
HEARD = "heard"
#: Name under which the watermark of all projections is stored. Whoever deletes rows of a projection outside an update
#: deletes this row too, so that they are built again.
MARK = "projections"
#: Stands in place of the watermark in a session of a store that was salvaged: of all that is derived from the ledger,
#: marks included, some may be lost, so that it is made anew.
SALVAGED = b'{"salvaged":true}'


@dataclass(frozen=True, slots=True)
class Postings:
    """Where one word occurs in a session:
    ``total`` messages hold it, ``numbers`` are those that the search looked at.
    """

    word: str
    total: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gaps:
    """What a damaged store has lost of a session: numbers of entries and of messages that have no row left, and digests
    of blobs that are in use but not there. False while nothing is lost.
    """

    entries: tuple[int, ...] = ()
    messages: tuple[int, ...] = ()
    blobs: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries or self.messages or self.blobs)


@dataclass(frozen=True, slots=True)
class Erasure:
    """What became of deleted content in a store's files. ``copies`` are backups that held it too and are deleted now;
    ``left`` says where some of it still is and when that ends, and is empty if none is left.
    """

    copies: tuple[str, ...] = ()
    left: str = ""


class Store(Protocol):
    """Keeps the ledger and everything derived from it, for many tenants and users.

    Every call is atomic by itself. Inside ``transaction`` all calls are one unit, durable when the block ends and
    undone when it raises; reads inside see what was written inside. Failures are raised as StorageErrors.
    """

    def close(self) -> None:
        """Closes the store and releases its files."""

    def transaction(self) -> AbstractContextManager[None]:
        """Opens a transaction; transactions nest.
        There is one writer at a time: it waits for others up to the store's limit, then raises StoreBusy.
        """

    def steady(self) -> AbstractContextManager[None]:
        """Opens a block in which a thread may be given what it has read before, though others have written since.
        Whoever relies on it looks after the block whether they have.
        """

    # sessions
    def session(self, key: SessionKey) -> SessionInfo | None:
        """Returns a session's row; None where there is none."""

    def sessions(self, tenant: str, user: str | None = None, *, id: str | None = None) -> list[SessionInfo]:
        """Lists the sessions of a user, or of all users of the tenant, newest first (by ``updated``, then by id and
        user); with ``id`` only those that have it.
        """

    def save_session(self, info: SessionInfo) -> None:
        """Writes a session's row, in place of the one that was there."""

    def delete_session(self, key: SessionKey) -> None:
        """Deletes everything under the key, and blobs that no other session of the tenant and user uses."""

    def erase_deleted(self) -> Erasure:
        """Removes what deletions have left behind: in free pages, logs, the word index and backups of the store.
        Not to be called inside a transaction.
        """

    # ledger
    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Appends entries, which carry the next sequence numbers. Raises VersionConflict if a number is taken."""

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        """Yields entries with after < seq <= until, in order. Reading on is safe while others append."""

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        """Yields the entries of the messages with numbers first to last, in order of seq."""

    def restore_entries(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Writes entries that were lost, under the numbers they had. Raises VersionConflict if a number is taken."""

    def delete_entries(self, key: SessionKey, seqs: Collection[int]) -> None:
        """Deletes entries by their numbers, which are gaps until others are restored under them."""

    def gaps(self, info: SessionInfo) -> Gaps:
        """Returns what is lost of the session, counted by its row. Costs little where nothing is."""

    def marks(self, key: SessionKey, names: Collection[bytes]) -> dict[bytes, int]:
        """Returns the marks of the session that have one of these names, each with its value."""

    def put_marks(self, key: SessionKey, marks: Mapping[bytes, int]) -> None:
        """Writes marks; a known name gets the new value."""

    # blobs, by the SHA-256 of their bytes in hex
    def put_blobs(self, key: SessionKey, blobs: Mapping[str, bytes]) -> None:
        """Writes blobs. Each is kept once for each tenant and user, however many sessions use it."""

    def blobs(self, key: SessionKey, digests: Collection[str]) -> dict[str, bytes]:
        """Returns the blobs with these digests; unknown ones are missing from the result."""

    def find_blobs(self, key: SessionKey, prefix: str) -> list[str]:
        """Returns the digests of blobs used by this session that begin with the prefix, in order; at most ten."""

    def release_blobs(self, key: SessionKey, digests: Collection[str]) -> None:
        """Forgets that this session uses these blobs. Those that no other session uses are deleted."""

    # rows of projections
    def row(self, key: SessionKey, projection: str, name: str) -> bytes | None:
        """Returns one row of a projection; None where there is none."""

    def rows(
        self, key: SessionKey, projection: str, *, start: str = "", stop: str | None = None, last: int | None = None
    ) -> list[tuple[str, bytes]]:
        """Returns rows with start <= name < stop, in order of name; with ``last``, only that many from the end."""

    def put_rows(self, key: SessionKey, projection: str, rows: Mapping[str, bytes | None]) -> None:
        """Writes rows; None as a value removes the row."""

    def clear_rows(self, key: SessionKey, projection: str) -> None:
        """Removes all rows of a projection; for ``WORDS`` it also empties the word index."""

    # words of messages, by the message's number; the store finds them and never ranks
    def put_words(self, key: SessionKey, words: Mapping[int, Collection[str] | None]) -> None:
        """Sets the words of each message, replacing those it had.
        None or an empty collection removes the message from the index.

        Words are casefolded and consist of letters, digits and ``. _ -``.
        """

    def find_words(self, key: SessionKey, words: Collection[str], limit: int) -> list[Postings]:
        """Finds the messages of the session that hold these words. Results start with the rarest word; equally rare
        words are in alphabetical order, and words that occur nowhere are left out.

        Words are taken in that order while their messages, counted once for each word, number at most ``limit``. Of the
        first word the newest ``limit`` messages are taken, and as many of those that hold all the words. ``numbers``
        name messages found in this way only, for every word.
        """

    def find_words_in(
        self, keys: Collection[SessionKey], words: Collection[str], limit: int
    ) -> dict[SessionKey, list[Postings]]:
        """As ``find_words`` in each of these sessions, all as of one moment; those that hold none of the words are left
        out.
        """

    # small values beside sessions: cursors, the profile, counts by content
    def values(self, tenant: str, user: str, space: str, names: Collection[str] | None = None) -> dict[str, bytes]:
        """Returns the named values of a space, or all of them."""

    def put_values(self, tenant: str, user: str, space: str, values: Mapping[str, bytes | None]) -> None:
        """Writes values of a space; None removes one."""


@dataclass(frozen=True, slots=True)
class MessageChange:
    """A message, or a piece of one, that an entry adds.

    ``message`` holds only what is new: a whole message, or the further parts when ``grows`` is set. ``tokens`` has the
    o200k count of each of these parts. ``replaces`` is the number of the message whose place it takes, or 0. ``notes``
    are what a model noted of its own turn; their blocks are removed from the message's text but counted with it.
    ``branch`` is the one that the client says it was on, ``cwd`` the folder; empty where it says nothing.
    ``is_handed_in`` says that a caller gave it, or a provider, and that it was read from no file of a client's.
    """

    number: int
    message: Message
    tokens: tuple[int, ...]
    grows: bool = False
    replaces: int = 0
    notes: Housekeeping | None = None
    branch: str = ""
    cwd: str = ""
    is_handed_in: bool = False


@dataclass(frozen=True, slots=True)
class Rollback:
    """Takes the last ``exchanges`` exchanges out of the prompt view."""

    exchanges: int


@dataclass(frozen=True, slots=True)
class LedgerNote:
    """An entry without a message: new tool definitions, an epoch, a sent input, a compaction, a pin.

    ``about`` is the decoded body of entries that Clew itself wrote. Of a client's it holds what it says of its prompt,
    as ``report``, or nothing.
    """

    kind: EntryKind
    seq: int
    about: Json


LedgerEvent = MessageChange | Rollback | LedgerNote


class Rows(Protocol):
    """Rows of one projection in one session, as ``Projection.apply`` reads and writes them. Values are JSON."""

    def get(self, name: str) -> Any:
        """Returns the value of a row; None where there is none."""

    def put(self, name: str, value: Any) -> None:
        """Writes a row."""

    def remove(self, name: str) -> None:
        """Removes a row."""

    def scan(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, Any]]:
        """Returns rows with start <= name < stop, in order of name; with ``last``, only that many from the end."""

    def raw(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, bytes]]:
        """Like ``scan``, with values as they are stored: who has read them before knows them by their bytes."""

    def put_blob(self, text: str) -> None:
        """Stores a whole text as a blob, under the digest of its bytes."""

    def blob(self, id: str) -> str | None:
        """Returns the text of a blob id (b and the first digits of the digest);
        None where there is none, or several.
        """

    def put_words(self, words: Mapping[int, Collection[str] | None]) -> None:
        """Like ``Store.put_words``; only the projection ``WORDS`` may call it."""

    def of(self, projection: str) -> Rows:
        """Returns the rows of a projection that is brought up to date before this one, for reading only."""


class Projection(Protocol):
    """Derives rows from the ledger and keeps them up to date as it grows.

    When ``version`` differs from the stored one, all rows are deleted and built again from the first entry. A
    projection with ``keeps_ids`` is not rebuilt on request, because others rely on the ids it has given.
    """

    name: str
    version: int
    keeps_ids: bool

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in the new events and writes rows. Receives its own last state (None at first) and returns the next."""
