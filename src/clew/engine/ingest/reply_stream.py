"""A provider's stream on its way to the caller: every event is passed through, and the reply is recorded at the end."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from clew.codecs.sdk_objects import as_dict
from clew.codecs.streams.assembler import ReplyAssembler, StreamedReply
from clew.errors import ClewError, UsageError
from clew.ports import Events
from clew.replies.values import Reply

E = TypeVar("E")


class ReplySink(Protocol):
    """Where the reply of a stream goes once it has ended."""

    def record(self, assembler: ReplyAssembler) -> Reply | None:
        """Records what has come, and returns it parsed; None where nothing came."""
        ...

    async def record_async(self, assembler: ReplyAssembler) -> Reply | None:
        """The same, for a caller that must not be blocked."""
        ...

    def record_broken(self, assembler: ReplyAssembler) -> Reply | None:
        """The same, for a caller who has an error of the stream to hear of: nothing is raised.

        It is recorded before anything else that is asked of the session afterwards.
        """
        ...

    def report_lost(self, reason: str) -> None:
        """Tells whoever listens that a reply could not be recorded."""
        ...


class RecordingSink:
    """Hands the reply of a stream to its session.

    Emits ``reply.interrupted`` for one that broke off, and ``reply.lost`` for one that could not be recorded.
    """

    def __init__(self, session: str, events: Events, reply: Callable[[StreamedReply], Reply]) -> None:
        self._session, self._events, self._reply = session, events, reply

    def record(self, assembler: ReplyAssembler) -> Reply | None:
        """Records what has come, and returns it parsed; None where nothing came."""
        if assembler.events and not assembler.is_recognized:
            self.report_lost("no event of the stream is of an API known here")
        streamed = assembler.reply()
        if streamed is None:
            return None
        reply = self._reply(streamed)
        if not streamed.is_complete:
            self._events.emit("reply.interrupted", session=self._session)
        return reply

    async def record_async(self, assembler: ReplyAssembler) -> Reply | None:
        """Records at once, in the thread of the caller."""
        return self.record(assembler)

    def record_broken(self, assembler: ReplyAssembler) -> Reply | None:
        """Records what has come; where that fails, it emits ``reply.lost``."""
        try:
            return self.record(assembler)
        except ClewError as failure:
            self.report_lost(str(failure))
            return None

    def report_lost(self, reason: str) -> None:
        """Tells whoever listens that a reply could not be recorded."""
        self._events.emit("reply.lost", session=self._session, reason=reason)


class ReplyStream(Generic[E]):
    """The events of a provider's stream, the same objects in the same order, for ``for`` and ``async for``.

    None is held back. The reply is recorded when the events end. If they break off, by an error of the provider or
    because the caller stops, what has come is recorded as interrupted, and the error goes on as it is.
    """

    def __init__(self, events: Iterable[E] | AsyncIterable[E], sink: ReplySink, *, format: str | None = None) -> None:
        ReplyAssembler(format)  # an unknown format is told before anything is sent
        self._events, self._sink, self._format = events, sink, format
        #: The reply, once it is recorded: the text for the user, tool calls, notes.
        self.reply: Reply | None = None
        #: True for a stream that ended, however it did, before the reply was whole.
        self.interrupted = False

    def __iter__(self) -> Iterator[E]:
        if not isinstance(self._events, Iterable):
            raise UsageError("these events come asynchronously; read them with async for")
        return self._pass_on(self._events)

    def _pass_on(self, events: Iterable[E]) -> Iterator[E]:
        assembler = ReplyAssembler(self._format)
        try:
            for event in events:
                assembler.feed(as_dict(event))
                yield event
        except BaseException:
            self.interrupted = not assembler.is_complete
            self.reply = self._sink.record_broken(assembler)
            raise
        self.interrupted = not assembler.is_complete
        self.reply = self._sink.record(assembler)

    def __aiter__(self) -> AsyncIterator[E]:
        if not isinstance(self._events, AsyncIterable):
            raise UsageError("these events do not come asynchronously; read them with for")
        return _AsyncEvents(self, self._events, ReplyAssembler(self._format), self._sink)


class _AsyncEvents(AsyncIterator[E]):
    """One reading of asynchronous events.

    It is an object and no asynchronous generator, since Python closes those some time after the caller has stopped:
    here the reply is recorded at that very moment, before anything that the caller does next.
    """

    def __init__(
        self, stream: ReplyStream[E], events: AsyncIterable[E], assembler: ReplyAssembler, sink: ReplySink
    ) -> None:
        self._stream, self._assembler, self._sink = stream, assembler, sink
        self._events, self._is_open = aiter(events), True

    async def __anext__(self) -> E:
        if not self._is_open:
            raise StopAsyncIteration
        try:
            event = await anext(self._events)
        except StopAsyncIteration:
            self._is_open = False
            self._stream.interrupted = not self._assembler.is_complete
            self._stream.reply = await self._sink.record_async(self._assembler)
            raise
        except BaseException:
            self._end()
            raise
        self._assembler.feed(as_dict(event))
        return event

    async def aclose(self) -> None:
        """Stops reading: what has come is recorded."""
        self._end()

    def _end(self) -> None:
        if self._is_open:
            self._is_open = False
            self._stream.interrupted = not self._assembler.is_complete
            self._stream.reply = self._sink.record_broken(self._assembler)

    def __del__(self) -> None:
        if getattr(self, "_is_open", False):
            self._end()
