"""Whose turn it is: the turns of one session with a model come one after the other."""

from __future__ import annotations

import asyncio

from clew.errors import UsageError


class TurnLock:
    """Held by the turn that a session is in."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: asyncio.Task[object] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def acquire(self) -> None:
        """Waits for the turn before to end. Raises UsageError for a task that would wait for its own."""
        task = asyncio.current_task()
        if self._lock.locked() and self._holder is task:
            raise UsageError("this session is in the middle of an answer; read its stream to the end or close it first")
        await self._lock.acquire()
        self._holder, self._loop = task, asyncio.get_running_loop()

    def release(self) -> None:
        """Lets the next turn begin; called in the event loop."""
        self._holder = None
        self._lock.release()

    def release_later(self) -> None:
        """Lets the next turn begin, from any thread."""
        self._holder = None
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.release)
