"""A turn with a model for asynchronous callers: nobody waits for a model in the engine's threads."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, Self

from clew.async_engine.turns import TurnLock
from clew.async_engine.worker import EngineClosed, Lane
from clew.cancellation import Cancel
from clew.engine.conversation.answer import Answer, AnswerStream
from clew.engine.conversation.steps import Outside
from clew.errors import UsageError


class AsyncAnswerStream(AsyncIterator[str]):
    """The words of an answer as they come, for ``async for``, once. ``answer`` is the whole, when they have ended.

    ``aclose``, the end of an ``async with`` block and the end of the task end the reply: what has come of it is
    recorded as interrupted. Turns of one session come one after the other, those of several at the same time.
    """

    def __init__(
        self, begin: Callable[[Cancel], AnswerStream], lane: Lane, *, lock: TurnLock, cancel: Cancel | None
    ) -> None:
        """``begin`` makes the turn, in a thread of the engine, with the flag that calls off what it waits for."""
        self._begin, self._lane, self._lock = begin, lane, lock
        self._cancel, self._cancelled = cancel, Cancel()
        self._turn: AnswerStream | None = None
        self._is_closed = self._holds = False

    async def __anext__(self) -> str:
        if self._is_closed:
            raise StopAsyncIteration
        try:
            step = await self._next_step()
        except BaseException:
            await asyncio.shield(self.aclose())
            raise
        if step is None:
            await self.aclose()
            raise StopAsyncIteration
        return step

    async def _next_step(self) -> str | None:
        """The next words; None at the end. Calls of the model and of tools are made on the way."""
        turn = await self._ensure_turn()
        step = await self._lane.run(turn.resume)
        while isinstance(step, Outside):
            try:
                found = await self._run_step(step)
            except asyncio.CancelledError:
                raise
            except BaseException as error:
                step = await self._lane.run(lambda error=error: turn.resume(error=error))  # type: ignore[misc]
            else:
                step = await self._lane.run(lambda found=found: turn.resume(found))  # type: ignore[misc]
        return step

    async def _ensure_turn(self) -> AnswerStream:
        if self._turn is None:
            await self._lock.acquire()
            self._holds = True
            if self._cancel is not None:
                self._cancel.on(self._cancelled.cancel)
            self._turn = await self._lane.run(lambda: self._begin(self._cancelled))
        return self._turn

    async def _run_step(self, step: Outside) -> Any:
        """What a call gives, made where it blocks nobody: in another thread, or in the event loop if it is awaited."""
        if step.is_async:
            return await step.call()
        calling = self._lane.worker.run_in_thread(step.call)
        try:
            found = await asyncio.shield(calling)
        except asyncio.CancelledError:
            self._cancelled.cancel()
            with suppress(BaseException):  # nobody wants to know any more
                await asyncio.shield(calling)
            raise
        return await found if inspect.isawaitable(found) else found

    @property
    def answer(self) -> Answer:
        """The whole answer. Raises UsageError while it has not ended, and for one that broke off."""
        if self._turn is None:
            raise UsageError("there is no whole answer; read the stream to its end first")
        return self._turn.answer

    async def read(self) -> Answer:
        """Reads to the end and returns the whole answer."""
        async for _ in self:
            pass
        return self.answer

    async def aclose(self) -> None:
        """Stops reading, and records what has come."""
        if self._is_closed:
            return
        self._is_closed = True
        self._cancelled.cancel()
        try:
            if self._turn is not None:
                await self._lane.finish(self._turn.close)
        except EngineClosed:  # which has recorded it
            pass
        finally:
            if self._holds:
                self._lock.release()

    def __del__(self) -> None:
        """One that nobody reads on is closed in a thread of the engine, whichever thread this is."""
        if getattr(self, "_holds", False) and not self._is_closed:
            self._is_closed = True
            self._cancelled.cancel()
            self._lock.release_later()
            if self._turn is not None:
                with suppress(EngineClosed):
                    self._lane.submit(self._turn.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self.aclose()
