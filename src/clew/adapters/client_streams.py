"""Streams of the official clients: the reply is recorded when the stream has been read, is closed, or is left."""

from __future__ import annotations

import copy
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache, partial
from typing import Any, cast

from clew.adapters.conversation import Conversation
from clew.engine.ingest.reply_stream import AsyncStreamEvents, EngineThread, StreamedReplyRecord, StreamEvents


def is_stream(result: Any) -> bool:
    """True for a stream of the anthropic or openai package."""
    return hasattr(result, "__stream__") and hasattr(result, "response")


def record_stream(stream: Any, conversation: Conversation) -> None:
    """Makes a client's stream record its reply. Closing it records what has come so far.

    Helpers of the clients close the response behind the stream instead: what has come is then recorded before the next
    operation of the session.
    """
    response = stream.response
    record, thread = conversation.streamed_reply()
    record.is_closed = lambda: response.is_closed
    # Of a copy, since a generator that holds the stream would keep it alive after its reader has dropped it.
    stream._iterator = ClientEvents(copy.copy(stream).__stream__(), record, thread)
    stream.__class__ = _recording_class(stream.__class__)


class ClientEvents:
    """The events inside a client's stream, which may be read in several goes: one that is dropped may be the last."""

    def __init__(self, events: Any, record: StreamedReplyRecord, thread: EngineThread) -> None:
        kind = AsyncStreamEvents if isinstance(events, AsyncIterator) else StreamEvents
        self._new_reading: Callable[[], Any] = partial(kind, events, record, thread)
        self._reading: Any = self._new_reading()
        record.begin()

    def __iter__(self) -> Iterator[Any]:
        return cast("Iterator[Any]", self._new_reading())

    def __next__(self) -> Any:
        return next(self._reading)

    def __aiter__(self) -> AsyncIterator[Any]:
        return cast("AsyncIterator[Any]", self._new_reading())

    async def __anext__(self) -> Any:
        return await anext(self._reading)

    def close(self) -> None:
        """Records what has come."""
        self._reading.close()

    async def aclose(self) -> None:
        """Records what has come."""
        await self._reading.aclose()


@cache
def _recording_class(kind: Any) -> type:
    """The class of a stream, with a ``close`` that records."""
    is_async = inspect.iscoroutinefunction(vars(kind).get("close"))
    close = _async_close(kind) if is_async else _close(kind)
    return type(kind.__name__, (kind,), {"__module__": kind.__module__, "close": close})


def _close(kind: Any) -> Callable[..., Any]:
    def close(self: Any) -> None:
        try:
            kind.close(self)
        finally:
            self._iterator.close()

    return close


def _async_close(kind: Any) -> Callable[..., Any]:
    async def close(self: Any) -> None:
        try:
            await kind.close(self)
        finally:
            await self._iterator.aclose()

    return close
