"""The store in memory: for tests, for one-call use, and as the plainest reading of what a store promises."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TypeVar

from clew.domain import Entry, SessionInfo, SessionKey
from clew.errors import StorageError, VersionConflict
from clew.ports import WORDS, Erasure, Gaps, Postings
from clew.storage.memory_word_index import MemoryWordIndex
from clew.storage.stores import BUSY_TIMEOUT_SECONDS
from clew.storage.turns import Turns

#: A page of entries copied at once, so that others may append while the caller works.
_PAGE_ENTRIES = 500
_SEQ = attrgetter("seq")

K = TypeVar("K")
V = TypeVar("V")
Undo = Callable[[], object]


class _Table:
    """Bytes by name, with the names in order."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}
        self.names: list[str] = []

    def put(self, name: str, body: bytes | None) -> Undo:
        """Sets or, with None, removes; returns what takes it back."""
        before = self.bodies.get(name)
        self._set(name, body)
        return lambda: self._set(name, before)

    def _set(self, name: str, body: bytes | None) -> None:
        if body is None and name in self.bodies:
            del self.bodies[name]
            del self.names[bisect_left(self.names, name)]
        elif body is not None:
            if name not in self.bodies:
                insort(self.names, name)
            self.bodies[name] = body

    def rows_between(self, start: str, stop: str | None, last: int | None) -> list[tuple[str, bytes]]:
        begin = bisect_left(self.names, start)
        end = len(self.names) if stop is None else bisect_left(self.names, stop)
        if last is not None:
            begin = max(begin, end - max(last, 0))
        return [(name, self.bodies[name]) for name in self.names[begin:end]]


@dataclass(slots=True)
class _Session:
    """Everything under one key. ``numbered`` holds (message, position in entries), in order."""

    info: SessionInfo | None = None
    entries: list[Entry] = field(default_factory=list)
    numbered: list[tuple[int, int]] = field(default_factory=list)
    marks: dict[bytes, int] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)
    tables: dict[str, _Table] = field(default_factory=dict)
    words: MemoryWordIndex = field(default_factory=MemoryWordIndex)

    def cut(self, length: int) -> None:
        """Takes back the entries beyond the first so many."""
        self.numbered = [pair for pair in self.numbered if pair[1] < length]
        del self.entries[length:]

    def replace(self, entries: list[Entry]) -> None:
        self.entries = entries
        self.numbered = sorted((entry.message, index) for index, entry in enumerate(entries) if entry.message > 0)


class MemoryStore:
    """A store in this process's memory, for any number of threads."""

    def __init__(self, *, busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS) -> None:
        self._turns = Turns()
        self._busy_timeout_seconds = busy_timeout_seconds
        self._depth, self._is_closed = 0, False
        self._undo: list[Undo] = []
        self._sessions: dict[SessionKey, _Session] = {}
        self._blobs: dict[tuple[str, str], dict[str, bytes]] = {}
        self._spaces: dict[tuple[str, str, str], _Table] = {}

    def close(self) -> None:
        """Whoever uses it afterwards is told, as with a file."""
        self._is_closed = True

    def steady(self) -> AbstractContextManager[None]:
        return nullcontext()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._hold_lock():
            self._depth += 1
            mark = len(self._undo)
            try:
                yield
            except BaseException:
                while len(self._undo) > mark:
                    self._undo.pop()()
                raise
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._undo.clear()

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Readers wait too: they must not see what may yet be undone."""
        self._turns.take(self._busy_timeout_seconds, "the store in memory")
        try:
            if self._is_closed:
                raise StorageError("the store in memory is closed, and what it held is gone; open another")
            yield
        finally:
            self._turns.give_back()

    def _session_to_write(self, key: SessionKey) -> _Session:
        """What is under a key, to be written; call it with the lock held."""
        if key not in self._sessions:
            self._sessions[key] = _Session()
            self._undo.append(lambda: self._sessions.pop(key))
        return self._sessions[key]

    def _session_to_read(self, key: SessionKey) -> _Session:
        """What is under a key, to be read."""
        return self._sessions.get(key) or _Session()

    # sessions

    def session(self, key: SessionKey) -> SessionInfo | None:
        with self._hold_lock():
            return self._session_to_read(key).info

    def sessions(self, tenant: str, user: str | None = None, *, id: str | None = None) -> list[SessionInfo]:
        with self._hold_lock():
            every = [
                session.info
                for session in self._sessions.values()
                if session.info and session.info.key.tenant == tenant
            ]
        found = [one for one in every if user in (None, one.key.user) and id in (None, one.key.id)]
        return sorted(found, key=lambda info: (info.updated, info.key.id, info.key.user), reverse=True)

    def save_session(self, info: SessionInfo) -> None:
        with self.transaction():
            session = self._session_to_write(info.key)
            before = session.info
            self._undo.append(lambda: setattr(session, "info", before))
            session.info = info

    def delete_session(self, key: SessionKey) -> None:
        with self.transaction():
            session = self._sessions.pop(key, None)
            if session is None:
                return
            self._undo.append(lambda: self._sessions.update({key: session}))
            self._delete_unused(key, session.digests, self._blobs.get(key[:2], {}))

    def erase_deleted(self) -> Erasure:
        return Erasure()

    # ledger

    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        with self.transaction():
            session = self._session_to_write(key)
            last = session.entries[-1].seq if session.entries else 0
            for entry in entries:
                if entry.seq <= last:
                    raise VersionConflict(f"entry {entry.seq} of session {key.id} is taken; read the session again")
                last = entry.seq
            length = len(session.entries)
            self._undo.append(lambda: session.cut(length))
            session.entries.extend(entries)
            for position, entry in enumerate(entries, length):
                if entry.message > 0:
                    insort(session.numbered, (entry.message, position))

    def restore_entries(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        with self.transaction():
            session = self._session_to_write(key)
            before = session.entries
            taken = {entry.seq for entry in before} & {entry.seq for entry in entries}
            if taken:
                raise VersionConflict(f"entry {min(taken)} of session {key.id} is taken; read the session again")
            self._undo.append(lambda: session.replace(before))
            session.replace(sorted([*before, *entries], key=_SEQ))

    def delete_entries(self, key: SessionKey, seqs: Collection[int]) -> None:
        with self.transaction():
            session = self._session_to_write(key)
            before = session.entries
            self._undo.append(lambda: session.replace(before))
            session.replace([entry for entry in before if entry.seq not in seqs])

    def gaps(self, info: SessionInfo) -> Gaps:
        with self._hold_lock():
            session, kept = self._session_to_read(info.key), self._blobs.get(info.key[:2], {})
            seqs, messages = {entry.seq for entry in session.entries}, {number for number, _ in session.numbered}
            return Gaps(
                tuple(seq for seq in range(1, info.entries + 1) if seq not in seqs),
                tuple(number for number in range(1, info.messages + 1) if number not in messages),
                tuple(sorted(session.digests - kept.keys())),
            )

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        with self._hold_lock():
            known = self._session_to_read(key).entries
            last = known[-1].seq if known else 0
        until = last if until is None else min(until, last)
        while page := self._page(key, after, until):
            yield from page
            after = page[-1].seq

    def _page(self, key: SessionKey, after: int, until: int) -> list[Entry]:
        with self._hold_lock():
            entries = self._session_to_read(key).entries
            begin = bisect_right(entries, after, key=_SEQ)
            end = bisect_right(entries, until, key=_SEQ)
            return entries[begin : min(end, begin + _PAGE_ENTRIES)]

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        with self._hold_lock():
            session = self._session_to_read(key)
            begin = bisect_left(session.numbered, (first, -1))
            end = bisect_left(session.numbered, (last + 1, -1))
            positions = sorted(position for _, position in session.numbered[begin:end])
            found = [session.entries[position] for position in positions]
        yield from found

    def marks(self, key: SessionKey, names: Collection[bytes]) -> dict[bytes, int]:
        with self._hold_lock():
            known = self._session_to_read(key).marks
            return {name: known[name] for name in names if name in known}

    def put_marks(self, key: SessionKey, marks: Mapping[bytes, int]) -> None:
        with self.transaction():
            known = self._session_to_write(key).marks
            before = {name: known.get(name) for name in marks}
            self._undo.append(lambda: _restore(known, before))
            known.update(marks)

    # blobs

    def put_blobs(self, key: SessionKey, blobs: Mapping[str, bytes]) -> None:
        with self.transaction():
            digests = self._session_to_write(key).digests
            kept = self._blobs.setdefault(key[:2], {})
            used = blobs.keys() - digests
            new = {digest: body for digest, body in blobs.items() if digest not in kept}
            self._undo.append(lambda: digests.difference_update(used))
            self._undo.append(lambda: _restore(kept, dict.fromkeys(new)))
            digests.update(used)
            kept.update(new)

    def blobs(self, key: SessionKey, digests: Collection[str]) -> dict[str, bytes]:
        with self._hold_lock():
            known, kept = self._session_to_read(key).digests, self._blobs.get(key[:2], {})
            return {digest: kept[digest] for digest in digests if digest in known and digest in kept}

    def find_blobs(self, key: SessionKey, prefix: str) -> list[str]:
        with self._hold_lock():
            known = self._session_to_read(key).digests & self._blobs.get(key[:2], {}).keys()
            return sorted(digest for digest in known if digest.startswith(prefix))[:10]

    def release_blobs(self, key: SessionKey, digests: Collection[str]) -> None:
        with self.transaction():
            session, blobs = self._session_to_write(key), self._blobs.get(key[:2], {})
            released = session.digests & set(digests)
            session.digests -= released
            self._undo.append(lambda: session.digests.update(released))
            self._delete_unused(key, released, blobs)

    def _delete_unused(self, key: SessionKey, digests: set[str], blobs: dict[str, bytes]) -> None:
        used = set[str]().union(*(s.digests for other, s in self._sessions.items() if other[:2] == key[:2]))
        lost = {digest: blobs.pop(digest) for digest in digests - used if digest in blobs}
        self._undo.append(lambda: blobs.update(lost))

    # rows of projections

    def row(self, key: SessionKey, projection: str, name: str) -> bytes | None:
        with self._hold_lock():
            table = self._session_to_read(key).tables.get(projection)
            return table.bodies.get(name) if table else None

    def rows(
        self, key: SessionKey, projection: str, *, start: str = "", stop: str | None = None, last: int | None = None
    ) -> list[tuple[str, bytes]]:
        with self._hold_lock():
            table = self._session_to_read(key).tables.get(projection)
            return table.rows_between(start, stop, last) if table else []

    def put_rows(self, key: SessionKey, projection: str, rows: Mapping[str, bytes | None]) -> None:
        with self.transaction():
            table = self._session_to_write(key).tables.setdefault(projection, _Table())
            self._undo.extend(table.put(name, body) for name, body in rows.items())

    def clear_rows(self, key: SessionKey, projection: str) -> None:
        with self.transaction():
            tables = self._session_to_write(key).tables
            if (table := tables.pop(projection, None)) is not None:
                self._undo.append(lambda: tables.update({projection: table}))
            if projection == WORDS:
                self._clear_words(self._session_to_write(key))

    # words

    def put_words(self, key: SessionKey, words: Mapping[int, Collection[str] | None]) -> None:
        with self.transaction():
            table = self._session_to_write(key).words
            self._undo.extend(table.put(number, held) for number, held in words.items())

    def find_words(self, key: SessionKey, words: Collection[str], limit: int) -> list[Postings]:
        with self._hold_lock():
            return self._session_to_read(key).words.find(words, limit)

    def find_words_in(
        self, keys: Collection[SessionKey], words: Collection[str], limit: int
    ) -> dict[SessionKey, list[Postings]]:
        with self._hold_lock():
            return {key: postings for key in keys if (postings := self.find_words(key, words, limit))}

    def _clear_words(self, session: _Session) -> None:
        before, session.words = session.words, MemoryWordIndex()
        self._undo.append(lambda: setattr(session, "words", before))

    # values

    def values(self, tenant: str, user: str, space: str, names: Collection[str] | None = None) -> dict[str, bytes]:
        with self._hold_lock():
            table = self._spaces.get((tenant, user, space)) or _Table()
            wanted = table.names if names is None else names
            return {name: table.bodies[name] for name in wanted if name in table.bodies}

    def put_values(self, tenant: str, user: str, space: str, values: Mapping[str, bytes | None]) -> None:
        with self.transaction():
            table = self._spaces.setdefault((tenant, user, space), _Table())
            self._undo.extend(table.put(name, body) for name, body in values.items())


def _restore(target: dict[K, V], before: Mapping[K, V | None]) -> None:
    """Puts values back; None means that there was none."""
    for name, value in before.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = value


def open_memory(_url: str, *, busy_timeout_seconds: float, **_durability: str) -> MemoryStore:
    """Returns a new store in memory, where nothing is durable."""
    return MemoryStore(busy_timeout_seconds=busy_timeout_seconds)


__all__ = ["MemoryStore", "open_memory"]
