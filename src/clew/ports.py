"""The doors through which Clew reaches the world, as Protocols. Extenders import from here.

Stores keep bytes under keys and promise order, atomicity and durability; what the bytes mean is decided
above them, so that a new store has little to get wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any, BinaryIO, Literal, Protocol

from clew.domain import (
    Entry,
    Housekeeping,
    Json,
    Kind,
    Loss,
    Message,
    Record,
    SessionInfo,
    SessionKey,
    Skipped,
    Tool,
    Usage,
)


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since 1970, UTC."""


class Events(Protocol):
    """Where things are said that somebody may want to hear; nobody listening is fine."""

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        """Calls ``listener(event)`` for each event of that name; returns what takes it off again."""

    def has(self, name: str) -> bool:
        """True when somebody listens to this event by its name: what costs something is worked out for them alone."""

    def emit(self, name: str, /, **data: Any) -> None:
        """Tells all listeners; one that raises does not stop the others or the caller."""


class Tokenizer(Protocol):
    name: str

    def count(self, text: str) -> int:
        """Tokens of the text. Never under for estimates."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One wire record as it stands in a file.

    ``line`` counts from 1, or is 0 where there are no lines. ``end`` is the offset just after the record.
    ``session`` is set by files that hold several conversations, ``format`` by files that hold records of
    another format than their own.
    """

    body: bytes
    line: int = 0
    end: int = 0
    session: str = ""
    format: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """A provider's request, and what could not be said in its format."""

    body: Json
    losses: tuple[Loss, ...] = ()


class Codec(Protocol):
    """Reads one format: splits a file into wire records, and one wire record into a domain record.

    ``read`` knows nothing but the record it is given, so that the ledger can keep wire records as they
    came and decode them at any time. It raises ValueError for what it cannot read.
    """

    name: str

    def sniff(self, head: bytes) -> bool:
        """Does a file that starts with these bytes look like mine? Judged by content alone."""

    def split(self, stream: BinaryIO) -> Iterator[RawRecord | Skipped]:
        """Wire records in order, in constant memory; what is no record is reported and passed over."""

    def read(self, body: bytes) -> Record: ...


class Encoder(Protocol):
    """Writes a format. Same-format messages come out as they came in."""

    name: str

    def encode(self, messages: Sequence[Message], *, tools: Sequence[Tool] = ()) -> Request: ...

    def system_body(self, system: Any) -> bytes:
        """The wire record of a system prompt that is handed over beside the messages."""


#: The projection that keeps the index of words: it and its rows are cleared together, or lost together.
WORDS = "words"
#: Where it is told how far all projections are: it goes whenever rows of one of them may have gone.
MARK = "projections"


@dataclass(frozen=True, slots=True)
class Holders:
    """A word, how many messages of the session hold it, and which of those were found, in order of number."""

    word: str
    total: int
    numbers: tuple[int, ...]


class Store(Protocol):
    """The ledger and everything derived from it, for many tenants and users.

    Every call is atomic by itself; inside ``transaction`` all calls are one unit, durable when the block
    ends and undone when it raises. Reads inside see what was written inside. Errors are StorageErrors.
    """

    def close(self) -> None: ...

    def transaction(self) -> AbstractContextManager[None]:
        """One writer at a time; waits for others up to the store's limit, then StoreBusy. Nests."""

    # sessions
    def session(self, key: SessionKey) -> SessionInfo | None: ...
    def sessions(self, tenant: str, user: str) -> list[SessionInfo]:
        """Newest first (updated, then id)."""

    def save_session(self, info: SessionInfo) -> None: ...
    def delete_session(self, key: SessionKey) -> None:
        """Everything under the key goes, and blobs that no other session of the tenant and user uses."""

    # ledger
    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Entries with the next sequence numbers; a number that is taken is a VersionConflict."""

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        """In order, those with after < seq <= until; safe to read on while others append."""

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        """Entries of the messages first..last (by number), in order of seq."""

    def marks(self, key: SessionKey, names: Collection[bytes]) -> dict[bytes, int]:
        """Which of these names are known in the session, and the number each stands for."""

    def put_marks(self, key: SessionKey, marks: Mapping[bytes, int]) -> None: ...

    # blobs, by the SHA-256 of their bytes in hex
    def put_blobs(self, key: SessionKey, blobs: Mapping[str, bytes]) -> None:
        """Kept once for each tenant and user, however many sessions use them."""

    def blobs(self, key: SessionKey, digests: Collection[str]) -> dict[str, bytes]: ...
    def find_blobs(self, key: SessionKey, prefix: str) -> list[str]:
        """Digests used by this session that begin with the prefix, in order; at most ten."""

    # rows of projections
    def row(self, key: SessionKey, projection: str, name: str) -> bytes | None: ...
    def rows(
        self, key: SessionKey, projection: str, *, start: str = "", stop: str | None = None, last: int | None = None
    ) -> list[tuple[str, bytes]]:
        """In order of name, start <= name < stop; with ``last``, only so many from the end."""

    def put_rows(self, key: SessionKey, projection: str, rows: Mapping[str, bytes | None]) -> None:
        """None removes a row."""

    def clear_rows(self, key: SessionKey, projection: str) -> None:
        """All of a projection; with ``WORDS``, the index of words as well."""

    # words of messages, by the message's number: which stand where, never how much that is worth
    def put_words(self, key: SessionKey, words: Mapping[int, Collection[str] | None]) -> None:
        """These words and no others are held by each message; None or none at all takes it out of the index.

        Words are casefolded and made of letters, digits and ``. _ -``.
        """

    def find_words(self, key: SessionKey, words: Collection[str], limit: int) -> list[Holders]:
        """Which messages of the session hold these words, the rarest word first, of equals in order of the words.

        Words are taken in that order while the messages that hold them come to at most ``limit``, each counted for
        every word; of the first word, the newest so many. The messages found that way are told for all words, others
        for none. Words that nobody holds are left out.
        """

    # small values beside sessions: cursors, calibration, counts by content
    def values(self, tenant: str, user: str, space: str, names: Collection[str] | None = None) -> dict[str, bytes]:
        """The named values of a space, or all of them."""

    def put_values(self, tenant: str, user: str, space: str, values: Mapping[str, bytes | None]) -> None: ...


@dataclass(frozen=True, slots=True)
class Change:
    """What one entry adds, as the projections are told.

    ``message`` holds only what is new: a whole message, or, when it ``grows`` one that was told of before,
    the further parts. ``tokens`` has the o200k count of each of these parts. ``replaces`` is the number of
    the message whose place it takes, or 0. ``notes`` is what a model noted of its own turn; the blocks it wrote
    them in are taken out of the message's text, and counted with it.
    """

    number: int
    message: Message
    tokens: tuple[int, ...]
    grows: bool = False
    replaces: int = 0
    notes: Housekeeping | None = None


@dataclass(frozen=True, slots=True)
class Rollback:
    """The last ``exchanges`` exchanges left the prompt view."""

    exchanges: int


@dataclass(frozen=True, slots=True)
class Aside:
    """An entry that bears no message: the tools that are offered, an epoch that began, an input as it was sent.

    ``about`` is what the entry says, for those that were written here.
    """

    kind: Kind
    seq: int
    about: Json


News = Change | Rollback | Aside


class Rows(Protocol):
    """One projection's rows of one session, while it is brought up to date. Values are JSON."""

    def get(self, name: str) -> Any: ...
    def put(self, name: str, value: Any) -> None: ...
    def remove(self, name: str) -> None: ...
    def scan(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, Any]]: ...
    def put_blob(self, text: str) -> None:
        """Keeps a text whole under the digest of its bytes."""

    def blob(self, id: str) -> str | None:
        """The text that an id of ours (b and the first digits of the digest) leads to."""

    def put_words(self, words: Mapping[int, Collection[str] | None]) -> None:
        """As ``Store.put_words``; for the projection ``WORDS`` alone."""

    def of(self, projection: str) -> Rows:
        """The rows of a projection that is brought up to date before this one; for reading only."""


class Projection(Protocol):
    """Something derived from the ledger and kept up to date as it grows.

    ``apply`` is given what is new and a state of its own; it returns the state to keep. When ``version``
    differs from the one stored, all rows are dropped and made anew. A projection that ``keeps_ids`` is not made
    anew on request: others rely on the ids it has given.
    """

    name: str
    version: int
    keeps_ids: bool

    def apply(self, state: Any, changes: Iterable[News], rows: Rows) -> Any: ...


class Cancel:
    """Says once, from any thread, that an answer is no longer wanted; it cannot be taken back."""

    def __init__(self) -> None:
        self._said = Event()
        self._lock = Lock()
        self._listeners: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        return self._said.is_set()

    def cancel(self) -> None:
        with self._lock:
            self._said.set()
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def wait(self, seconds: float) -> bool:
        """Waits so long, or until cancelled; says whether it was."""
        return self._said.wait(seconds)

    def on(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Calls the listener when cancelled, at once if that was before; returns what takes it off again."""
        with self._lock:
            if not self._said.is_set():
                self._listeners.append(listener)
                return lambda: self._off(listener)
        listener()
        return lambda: None

    def _off(self, listener: Callable[[], object]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to a model: how to work, what to work on, and how long the answer may be.

    It is put at temperature 0, not streamed, and offers no tools.
    """

    system: str
    user: str
    max_tokens: int


#: Why a model stopped: it was done, the answer reached its limit, it called a tool, it declined, or something else.
Stop = Literal["end", "length", "calls", "refusal", "other"]


@dataclass(frozen=True, slots=True)
class Said:
    """A model's answer. It has text, or names in ``calls`` the tools it tried to call, or is a refusal.

    ``usage`` is None where the provider does not report it. The text is data, whatever it says.
    """

    text: str
    stop: Stop = "end"
    calls: tuple[str, ...] = ()
    usage: Usage | None = None


class Model(Protocol):
    """Answers one question at a time, for any number of threads. It keeps nothing of what was asked or said."""

    @property
    def name(self) -> str: ...

    def ask(self, asked: Asked, *, seconds: float, cancel: Cancel | None = None) -> Said:
        """The answer, within so many seconds, retries included. A ModelError says why there is none.

        Cancelling ends a request in flight at once, with ModelCancelled.
        """


class Models(Protocol):
    """Which model answers the questions of a session, within the limits on spending."""

    def for_session(self, key: SessionKey, *, lent: Model | None = None) -> Model | None:
        """The model to ask; None where there is none. A ModelError says what the settings lack.

        ``lent`` is one that the caller holds for now, such as the model of the conversation with the client's own
        credentials: it goes before all others, and is not kept.
        """

    def forget(self, key: SessionKey) -> None:
        """Nothing is known any more of what the session has cost."""


__all__ = [
    "WORDS",
    "Aside",
    "Asked",
    "Cancel",
    "Change",
    "Clock",
    "Codec",
    "Encoder",
    "Events",
    "Holders",
    "Model",
    "Models",
    "News",
    "Projection",
    "RawRecord",
    "Request",
    "Rollback",
    "Rows",
    "Said",
    "Stop",
    "Store",
    "Tokenizer",
]
