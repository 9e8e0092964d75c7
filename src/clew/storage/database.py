"""Access to a SQLite file from many threads: a connection each, transactions that nest, errors in Clew's words."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import apsw

from clew.errors import StorageError, VersionConflict
from clew.storage.compression import Compressor, decompress
from clew.storage.connections import connect, open_file
from clew.storage.failures import Failures, damage_error
from clew.storage.remembered import Remembered
from clew.storage.turns import turns_of


class _Thread(threading.local):
    """What one thread holds: its connection, how deep it is in transactions, whether half a call stands there, and what
    it remembers of the store in a ``state``, a number that changes when another connection commits.
    """

    def __init__(self) -> None:
        self.connection: apsw.Connection | None = None
        self.depth = 0
        self.broken = False
        self.compressor = Compressor()
        self.state: Any = None
        self.remembered = Remembered()
        self.steady = 0


class Database:
    """One SQLite file, for any number of threads. A transaction that fails is undone as a whole."""

    def __init__(self, path: Path, **settings: Any) -> None:
        """``settings`` are those of ``connections.connect``. The file is made if it is not there."""
        self.path = path
        self.failures = Failures(path)
        self._settings = settings
        self._turns = turns_of(path)
        self._thread = _Thread()
        # Weak, so that the connection of a thread that has ended goes with it.
        self._connections: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._process, self._closed = os.getpid(), False
        with self.failures:
            self._adopt(open_file(path, **settings))

    def close(self) -> None:
        self._closed = True
        with self.failures:
            for connection in list(self._connections):
                connection.close()

    @property
    def db(self) -> apsw.Connection:
        """This thread's connection."""
        if self._process != os.getpid():
            raise StorageError(f"{self.path} was opened before this process was forked off; open it again here")
        if self._closed:
            raise StorageError(f"{self.path} has been closed; open it again")
        if self._thread.connection is not None:
            return self._thread.connection
        with self.failures:
            return self._adopt(connect(self.path, **self._settings))

    def _adopt(self, connection: apsw.Connection) -> apsw.Connection:
        self._connections.add(connection)
        self._thread.connection = connection
        return connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        # The connection comes first: where there is none (after a fork), nobody gives a turn back.
        db, outermost = self.db, self._thread.depth == 0
        with self.turn() if outermost else nullcontext():
            yield from self._transact(db, outermost=outermost)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """No other thread of this process writes meanwhile."""
        self._turns.take(self._settings["busy_timeout_seconds"], self.path)
        try:
            yield
        finally:
            self._turns.give_back()

    def _transact(self, db: apsw.Connection, *, outermost: bool) -> Iterator[None]:
        thread = self._thread
        self._run(db, "BEGIN IMMEDIATE" if outermost else "SAVEPOINT inner")
        thread.depth += 1
        try:
            if outermost:
                self._forget_if_changed()
            yield
            self._run(db, "COMMIT" if outermost else "RELEASE inner")
        except BaseException:
            # What SQLite has already undone by itself (a full disk) needs no undoing.
            with suppress(apsw.Error):
                db.execute("ROLLBACK" if outermost else "ROLLBACK TO inner; RELEASE inner")
            thread.broken = False
            thread.remembered.clear()
            raise
        finally:
            thread.depth -= 1

    @property
    def memory(self) -> Remembered:
        """What this thread has read or written, if nobody else has committed since; what was undone is forgotten."""
        if not self._thread.depth and not self._thread.steady:
            self._forget_if_changed()
        return self._thread.remembered

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Inside, what this thread remembers holds, whoever commits meanwhile."""
        if not self._thread.depth and not self._thread.steady:
            self._forget_if_changed()
        self._thread.steady += 1
        try:
            yield
        finally:
            self._thread.steady -= 1

    def _forget_if_changed(self) -> None:
        db, thread = self.db, self._thread
        with self.failures:
            state = db.execute("PRAGMA data_version").get
        if state != thread.state or thread.remembered.is_full():
            thread.state = state
            thread.remembered.clear()

    def _run(self, db: apsw.Connection, statement: str) -> None:
        self._refuse_if_undone(db)
        with self.failures:
            db.execute(statement)

    def _refuse_if_undone(self, db: apsw.Connection) -> None:
        if self._thread.depth and (self._thread.broken or not db.in_transaction):
            raise StorageError(f"nothing of this transaction is written to {self.path}: an earlier error undid it")

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """One call that writes. Inside a transaction, one that fails halfway takes the transaction with it:
        a savepoint around each call would undo it alone, but costs an import a tenth of its speed.
        """
        if self._thread.depth == 0:
            with self.transaction(), self.failures:
                yield self.db
            return
        self._refuse_if_undone(self.db)
        try:
            with self.failures:
                yield self.db
        except VersionConflict:  # found before anything was written
            raise
        except BaseException:
            self._thread.broken = True
            raise

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """One state of the store for several statements."""
        db = self.db
        with self.failures:
            if self._thread.depth:
                yield db
                return
            db.execute("BEGIN")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")

    def fetch_all(self, statement: str, values: Sequence[Any]) -> list[Any]:
        db = self.db
        with self.failures:
            return db.execute(statement, values).fetchall()

    def fetch_each(self, statement: str, many: Iterable[Sequence[Any]]) -> list[Any]:
        """One prepared statement for each of many keys: no limit on how many, one state of the store for all."""
        with self.reading() as db:
            return db.executemany(statement, many).fetchall()

    def compress(self, data: bytes) -> tuple[int, bytes]:
        return self._thread.compressor.compress(data)

    def decompress(self, kept: int, body: bytes) -> bytes:
        try:
            return decompress(kept, body)
        except ValueError as error:
            raise damage_error(self.path, f"a body cannot be decompressed: {error}") from error

    @contextmanager
    def decoding(self, what: str) -> Iterator[None]:
        """Columns are read as values inside; one that is none of its kind is damage."""
        try:
            yield
        except (ValueError, TypeError, AttributeError) as error:
            raise damage_error(self.path, f"{what} cannot be read: {error}") from error


__all__ = ["Database"]
