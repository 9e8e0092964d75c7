"""The thread in which an engine works for asynchronous callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from clew.async_engine.turns import TurnLock
from clew.domain import SessionKey
from clew.errors import UsageError

T = TypeVar("T")


#: Calls of models and tools that are under way at the same time; more wait.
_APART = 64


class EngineClosed(UsageError):
    """The engine takes no more calls."""


class Worker:
    """Makes calls in one thread, in the order in which they were asked for; and apart from it, those that need
    nothing of the engine.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-engine")
        self._apart = ThreadPoolExecutor(max_workers=_APART, thread_name_prefix="clew-model")
        self._locks: WeakValueDictionary[SessionKey, TurnLock] = WeakValueDictionary()
        self._asked: set[asyncio.Future[Any]] = set()

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queues a call. Raises UsageError once the thread takes no more."""
        try:
            return self._executor.submit(call)
        except RuntimeError:
            raise EngineClosed("the engine has been closed; open it again") from None

    def apart(self, call: Callable[[], T]) -> asyncio.Future[T]:
        """Makes a call in another thread, at the same time as others. Raises UsageError once no more are taken."""
        try:
            return asyncio.wrap_future(self._apart.submit(call))
        except RuntimeError:
            raise EngineClosed("the engine has been closed; open it again") from None

    def turn_lock(self, key: SessionKey) -> TurnLock:
        """Returns the lock of a session's turns."""
        return self._locks.setdefault(key, TurnLock())

    async def finished(self, turn: Coroutine[Any, Any, T]) -> T:
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

    def shut_down(self) -> None:
        """Takes no more calls. Those that are queued are still made."""
        self._executor.shutdown(wait=False)
        self._apart.shutdown(wait=False)
