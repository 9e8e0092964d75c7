"""The thread in which an engine works for asynchronous callers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from clew.errors import UsageError

T = TypeVar("T")


class Worker:
    """Makes calls in one thread, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="clew-engine")

    def submit(self, call: Callable[[], T]) -> Future[T]:
        """Queues a call. Raises UsageError once the thread takes no more."""
        try:
            return self._executor.submit(call)
        except RuntimeError:
            raise UsageError("the engine has been closed; open it again") from None

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
