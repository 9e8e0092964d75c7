"""Threads of one process take turns on a store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clew.domain import SessionKey
from clew.errors import StorageError, StoreBusy
from clew.foreground import enter_background
from clew.storage.memory import MemoryStore
from clew.storage.sqlite import SqliteStore
from clew.storage.turns import Turns, turns_of

KEY = SessionKey("acme", "ada", "one")
LONG = 600.0


class Queue:
    """Threads that come one after the other while somebody else has the turn, and what they did in which order."""

    def __init__(self, turns: Turns) -> None:
        self.turns, self.order = turns, list[str]()
        self._threads: list[threading.Thread] = []

    def add(self, name: str, *, background: bool = False) -> None:
        self.start(lambda: self._write(name, background=background))

    def start(self, work: Callable[[], object]) -> None:
        """Returns when the thread waits."""
        before = len(self.turns._waiting)
        self._threads.append(threading.Thread(target=work))
        self._threads[-1].start()
        while len(self.turns._waiting) == before:
            pass

    def _write(self, name: str, *, background: bool) -> None:
        if background:
            enter_background()
        with held(self.turns):
            self.order.append(name)

    def end(self) -> list[str]:
        for thread in self._threads:
            thread.join()
        return self.order


@contextmanager
def held(turns: Turns, seconds: float = LONG) -> Iterator[None]:
    turns.take(seconds, "the store")
    try:
        yield
    finally:
        turns.give_back()


def test_who_comes_first_is_served_first() -> None:
    queue = Queue(Turns())
    with held(queue.turns):
        for name in "abcde":
            queue.add(name)
    assert queue.end() == list("abcde")


def test_the_thread_that_had_its_turn_goes_behind_those_that_wait() -> None:
    queue = Queue(Turns())
    with held(queue.turns):
        queue.add("a")
        queue.add("b")
    with held(queue.turns):
        queue.order.append("again")
    assert queue.end() == ["a", "b", "again"]


def test_the_foreground_passes_the_background_but_not_forever() -> None:
    queue = Queue(Turns())
    with held(queue.turns):
        queue.add("background", background=True)
        for number in range(12):
            queue.add(str(number))
    assert queue.end() == [*map(str, range(10)), "background", "10", "11"]


def test_a_turn_within_a_turn_is_no_wait() -> None:
    queue = Queue(Turns())
    with held(queue.turns):
        queue.add("a")
        with held(queue.turns, 0):
            queue.order.append("inner")
        queue.order.append("outer")
    assert queue.end() == ["inner", "outer", "a"]


def test_what_is_dropped_while_a_turn_ends_may_still_write() -> None:
    queue = Queue(Turns())

    class Dropping(list[Any]):
        """The garbage collector may run at any step of the hand-over, and a stream that it drops records its reply."""

        def __iter__(self) -> Iterator[Any]:
            with held(queue.turns):
                queue.order.append("dropped")
            return super().__iter__()

    queue.turns._waiting = Dropping()
    with held(queue.turns):
        queue.add("a")
    assert queue.end() == ["dropped", "a"]


def test_who_has_waited_too_long_leaves_the_queue() -> None:
    queue = Queue(Turns())
    with ThreadPoolExecutor(1) as pool, held(queue.turns):
        with pytest.raises(StoreBusy, match=r"the store is in use: another thread of this process .* try again"):
            pool.submit(queue.turns.take, 0, "the store").result()
        queue.add("a")
    assert queue.end() == ["a"]


def test_stores_on_one_file_share_a_queue(tmp_path: Path) -> None:
    assert turns_of(tmp_path / "store.db") is turns_of(tmp_path / "folder" / ".." / "store.db")
    assert turns_of(tmp_path / "store.db") is not turns_of(tmp_path / "other.db")


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_a_writer_that_waits_gets_in_before_the_same_thread_writes_again(kind: str, tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "store.db") if kind == "file" else MemoryStore()
    queue = Queue(turns_of(tmp_path / "store.db") if isinstance(store, SqliteStore) else store._turns)
    for turn in range(5):
        with store.transaction(), store.transaction():
            store.put_marks(KEY, {b"mine": turn})
            queue.start(lambda turn=turn: store.put_marks(KEY, {b"theirs": turn}))
        with store.transaction():
            assert store.marks(KEY, [b"mine", b"theirs"]) == {b"mine": turn, b"theirs": turn}
    queue.end()
    store.close()


def test_a_store_that_fails_to_begin_gives_its_turn_back(tmp_path: Path) -> None:
    store, other = SqliteStore(tmp_path / "store.db"), SqliteStore(tmp_path / "store.db")
    store.close()
    with pytest.raises(StorageError, match="has been closed"):
        store.put_marks(KEY, {b"a": 1})
    with ThreadPoolExecutor(1) as pool:
        written: Future[None] = pool.submit(other.put_marks, KEY, {b"a": 2})
    assert written.exception() is None
    other.close()
