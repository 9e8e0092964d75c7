"""The threads in which an engine works for asynchronous callers: no session waits for another."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import RLock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from clew.async_engine.turns import TurnLock
from clew.domain import SessionKey
from clew.errors import UsageError

T = TypeVar("T")
#: What is told when a call was made, and the call.
Queued = tuple[Future[Any], Callable[[], Any]]

#: Lanes that work at the same time, and calls of models and tools that are under way; more wait.
_THREADS, _APART = 64, 64


class EngineClosed(UsageError):
    """The engine takes no more calls."""


class Worker:
    """Makes the calls of an engine: those of a lane one after the other, those of several at the same time; and
    apart from them, those that need nothing of the engine.
    """

    def __init__(self) -> None:
        # Whoever is dropped by the garbage collector may queue a call, in a thread that holds the lock.
        self._lock = RLock()
        self._lanes: WeakValueDictionary[Hashable, Lane] = WeakValueDictionary()
        self._free: list[ThreadPoolExecutor] = []
        self._threads = 0
        self._waiting: deque[Lane] = deque()
        self._last: Queued | None = None
        self._apart = ThreadPoolExecutor(max_workers=_APART, thread_name_prefix="clew-model")
        self._locks: WeakValueDictionary[SessionKey, TurnLock] = WeakValueDictionary()
        self._asked: set[asyncio.Future[Any]] = set()

    def lane(self, name: Hashable) -> Lane:
        """Returns the lane of that name, the same one for as long as anybody has it."""
        with self._lock:
            found = self._lanes.get(name)
            if found is None:
                found = self._lanes[name] = Lane(self)
            return found

    def run_in_thread(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """Makes a call in another thread, at the same time as others. Raises UsageError once no more are taken."""
        try:
            return asyncio.wrap_future(self._apart.submit(call))
        except RuntimeError:
            raise EngineClosed("the engine has been closed; open it again") from None

    def turn_lock(self, key: SessionKey) -> TurnLock:
        """Returns the lock of a session's turns."""
        return self._locks.setdefault(key, TurnLock())

    async def run_to_end(self, turn: Coroutine[Any, Any, T]) -> T:
        """Runs a turn that closing the engine waits for."""
        asked: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asked.add(asked)
        try:
            return await turn
        finally:
            self._asked.discard(asked)
            asked.cancel()

    async def wait_for_turns(self) -> None:
        """Waits until every turn that was asked for has ended."""
        while self._asked:
            await asyncio.wait(self._asked)

    def shut_down(self, last: Callable[[], T]) -> Future[T]:
        """Takes no more calls. Those that are queued are still made, and after them the last one."""
        done: Future[T] = Future()
        with self._lock:
            if self._last is not None:
                return self._last[0]
            self._last = done, last
            self._apart.shutdown(wait=False)
            self._end_if_idle()
        return done

    def ensure_open(self) -> None:
        """Raises UsageError once no more calls are taken."""
        if self._last is not None:
            raise EngineClosed("the engine has been closed; open it again")

    # ── which thread makes the calls of a lane ───────────────────────────────────────────────────────

    def queue(self, lane: Lane, done: Future[Any], call: Callable[[], Any]) -> None:
        """Adds a call to a lane, and has a thread make it."""
        with self._lock:
            self.ensure_open()
            lane.calls.append((done, call))
            if not lane.is_busy:
                lane.is_busy = True
                self._start(lane)

    def _start(self, lane: Lane) -> None:
        """A lane gets the thread that it had last, which remembers what it has read of the store, if that is free."""
        if lane.thread in self._free:
            self._free.remove(lane.thread)
        elif self._free:
            lane.thread = self._free.pop()
        elif self._threads < _THREADS:
            self._threads += 1
            lane.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-engine")
        else:
            self._waiting.append(lane)
            return
        lane.thread.submit(self._work, lane, lane.thread)

    def _work(self, lane: Lane, thread: ThreadPoolExecutor) -> None:
        while queued := self._next_call(lane, thread):
            _make(*queued)
            del queued  # or whoever asked would be held for as long as nobody asks again

    def _next_call(self, lane: Lane, thread: ThreadPoolExecutor) -> Queued | None:
        with self._lock:
            if lane.calls:
                return lane.calls.popleft()
            lane.is_busy = False
            self._free.append(thread)
            if self._waiting:
                self._start(self._waiting.popleft())
            self._end_if_idle()
            return None

    def _end_if_idle(self) -> None:
        if self._last is None or len(self._free) < self._threads:
            return
        threads = self._free or [ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-engine")]
        done, last = self._last
        threads[0].submit(_make, done, last)
        for thread in threads:
            thread.shutdown(wait=False)


class Lane:
    """Calls that are made one after the other, in the order in which they were asked for."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        #: What the worker knows of it: calls that wait, whether a thread makes them, and which one did last.
        self.calls: deque[Queued] = deque()
        self.is_busy = False
        self.thread: ThreadPoolExecutor | None = None

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queues a call. Raises UsageError once no more are taken."""
        done: Future[T] = Future()
        self.worker.queue(self, done, call)
        return done

    def call(self, call: Callable[[], T]) -> T:
        """Makes a call and waits for it, blocking whoever asks."""
        return self.submit(call).result()

    async def run(self, call: Callable[[], T]) -> T:
        """Makes a call and returns what it returned.

        Who is cancelled meanwhile does not wait. A call that has begun is finished all the same, one that has not is
        never begun.
        """
        return await asyncio.wrap_future(self.submit(call))

    async def finish(self, call: Callable[[], T]) -> T:
        """Like ``run``, for a call that is made whatever becomes of who waits for it."""
        return await asyncio.shield(asyncio.wrap_future(self.submit(call)))


def _make(done: Future[T], call: Callable[[], T]) -> None:
    if not done.set_running_or_notify_cancel():
        return
    try:
        done.set_result(call())
    except BaseException as error:
        done.set_exception(error)
