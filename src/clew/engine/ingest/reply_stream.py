"""A provider's stream on its way to the caller: every event is passed through, and the reply is recorded at the end."""

from __future__ import annotations

import concurrent.futures.thread  # noqa: F401 (counting tokens needs it, and it cannot be imported while a program ends)
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from clew.codecs.sdk_objects import as_dict, has_fields
from clew.codecs.streams.assembler import ReplyAssembler
from clew.domain import SessionKey
from clew.engine.ingest.incoming_replies import IncomingReplies
from clew.errors import UsageError
from clew.ports import Events
from clew.replies.values import Reply

E = TypeVar("E")
T = TypeVar("T")


class StreamedReplyRecord:
    """The reply of one stream, from its first event until it is recorded: once, whoever ends it first.

    Emits ``reply.interrupted`` for one that broke off, and ``reply.lost`` for one that could not be recorded.
    """

    def __init__(
        self,
        key: SessionKey,
        record: Callable[..., Reply],
        replies: IncomingReplies,
        *,
        events: Events,
        format: str | None = None,
    ) -> None:
        """``record`` records a reply of the session. ``format`` is that of the events where they are not to tell.
        Raises UsageError for one without streams.
        """
        self._key, self._record, self._replies, self._events = key, record, replies, events
        self._assembler = ReplyAssembler(format)
        self._is_dropped = self._is_recorded = False
        #: Whether the end of a stream raises what keeps its reply from being recorded; else ``reply.lost`` alone tells.
        self.raises = True
        #: True once the caller has closed the stream.
        self.is_stopped = False
        #: Says whether the provider's stream was closed in another way.
        self.is_closed: Callable[[], bool] = lambda: False
        #: The reply as ``Session.reply`` returns it, once it is recorded.
        self.reply: Reply | None = None

    @property
    def key(self) -> SessionKey:
        """The session that the reply belongs to."""
        return self._key

    @property
    def is_left(self) -> bool:
        """True once nobody reads on."""
        return self._is_dropped or self.is_closed()

    @property
    def is_recorded(self) -> bool:
        """True once whatever came has been recorded, or could not be."""
        return self._is_recorded

    @property
    def is_complete(self) -> bool:
        """True once the whole reply has come."""
        return self._assembler.is_complete

    @property
    def is_interrupted(self) -> bool:
        """True for a stream that ended, however it did, before the reply was whole."""
        return (self._is_recorded or self._is_dropped or self.is_stopped) and not self.is_complete

    def begin(self) -> None:
        """Events are about to come."""
        self._replies.add(self)

    def feed(self, event: Any) -> None:
        """Takes in one event. Who left and came back reads on."""
        self._is_dropped = False
        self._assembler.feed(as_dict(event))

    def drop(self) -> None:
        """Notes that nobody reads on, and does nothing else: it is called by the garbage collector."""
        self._is_dropped = True

    def record_if_dropped(self) -> None:
        """Records a reply that was dropped, unless an operation of the engine is running in this thread."""
        if self._is_dropped and not self._is_recorded:
            self._replies.record_left(self.key)

    def finish(self) -> None:
        """Records what has come, of a stream that has ended."""
        if self.raises:
            self._record_once()
        else:
            self.break_off()

    def break_off(self) -> None:
        """Records what has come, for somebody who has another error to hear of: nothing is raised."""
        try:
            self._record_once()
        except Exception as failure:  # whatever a store or a codec raises
            self.lose(str(failure) or type(failure).__name__)

    def lose(self, reason: str) -> None:
        """Tells whoever listens that the reply could not be recorded."""
        self._events.emit("reply.lost", session=self._key.id, reason=reason)

    def _record_once(self) -> None:
        if not self._replies.take(self):
            return
        self._is_recorded = True
        if self._assembler.events and not self._assembler.is_recognized:
            self.lose("no event of the stream is of an API known here")
        streamed = self._assembler.reply()
        if streamed is None:
            return
        self.reply = self._record(streamed.response, format=streamed.format)
        if not streamed.is_complete:
            self._events.emit("reply.interrupted", session=self._key.id)


class EngineThread(Protocol):
    """How the end of a stream reaches the engine."""

    def call(self, work: Callable[[], T]) -> T:
        """Makes a call, and waits for it."""
        ...

    async def finish(self, work: Callable[[], T]) -> T:
        """The same, for a caller who must not be blocked; the call is made also if the caller is cancelled."""
        ...


class CallersThread:
    """The engine is called in the thread that reads the stream."""

    def call(self, work: Callable[[], T]) -> T:
        """Makes the call."""
        return work()

    async def finish(self, work: Callable[[], T]) -> T:
        """Makes the call."""
        return work()


CALLERS_THREAD = CallersThread()


class ReplyStream(Generic[E]):
    """The events of a provider's stream, the same objects in the same order, for ``for`` and ``async for``, once.

    None is held back. The reply is recorded when the events end. If they break off, by an error of the provider or
    because the caller stops, what has come is recorded as interrupted, and the error goes on as it is. ``close``,
    ``aclose`` and the end of a ``with`` or ``async with`` block record at once, and close the provider's stream.
    """

    def __init__(
        self,
        events: Iterable[E] | AsyncIterable[E],
        record: StreamedReplyRecord,
        thread: EngineThread = CALLERS_THREAD,
    ) -> None:
        _ensure_events(events)
        self._events, self._record, self._thread = events, record, thread
        self._is_read = False

    @property
    def reply(self) -> Reply | None:
        """The reply, once it is recorded: the text for the user, tool calls, notes."""
        if self._thread is CALLERS_THREAD:
            self._record.record_if_dropped()
        return self._record.reply

    @property
    def interrupted(self) -> bool:
        """True for a stream that ended, however it did, before the reply was whole."""
        return self._record.is_interrupted

    def __iter__(self) -> Iterator[E]:
        if not isinstance(self._events, Iterable):
            raise UsageError("these events come asynchronously; read them with async for")
        self._begin()
        return StreamEvents(iter(self._events), self._record, self._thread)

    def __aiter__(self) -> AsyncIterator[E]:
        if not isinstance(self._events, AsyncIterable):
            raise UsageError("these events do not come asynchronously; read them with for")
        self._begin()
        return AsyncStreamEvents(aiter(self._events), self._record, self._thread)

    def _begin(self) -> None:
        if self._is_read:
            raise UsageError("a stream is read once, and this one has been; what it said is in its reply")
        self._is_read = True
        self._record.begin()

    def close(self) -> None:
        """Stops reading: what has come is recorded, and the provider's stream is closed."""
        self._is_read = True
        _stop(self._events, self._record, self._thread)

    async def aclose(self) -> None:
        """Stops reading: what has come is recorded, and the provider's stream is closed."""
        self._is_read = True
        await _stop_async(self._events, self._record, self._thread)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class StreamEvents(Iterator[E]):
    """One reading of events.

    It is an object and no generator, since Python closes those when they are dropped, wherever that happens.
    """

    def __init__(self, events: Iterator[E], record: StreamedReplyRecord, thread: EngineThread) -> None:
        self._events, self._record, self._thread = events, record, thread

    def __next__(self) -> E:
        if self._record.is_stopped:
            raise StopIteration
        try:
            event = next(self._events)
        except StopIteration:
            if not self._record.is_recorded:
                self._thread.call(self._record.finish)
            raise
        except BaseException:
            _break_off(self._record, self._thread)
            raise
        self._record.feed(event)
        return event

    def close(self) -> None:
        """Stops reading: what has come is recorded, and the provider's stream is closed."""
        _stop(self._events, self._record, self._thread)

    def __del__(self) -> None:
        if record := getattr(self, "_record", None):
            record.drop()


class AsyncStreamEvents(AsyncIterator[E]):
    """One reading of asynchronous events."""

    def __init__(self, events: AsyncIterator[E], record: StreamedReplyRecord, thread: EngineThread) -> None:
        self._events, self._record, self._thread = events, record, thread

    async def __anext__(self) -> E:
        if self._record.is_stopped:
            raise StopAsyncIteration
        try:
            event = await anext(self._events)
        except StopAsyncIteration:
            if not self._record.is_recorded:
                await self._thread.finish(self._record.finish)
            raise
        except GeneratorExit:  # whoever waited is being finalised, and can wait for nothing more
            self._record.drop()
            raise
        except BaseException:
            await _break_off_async(self._record, self._thread)
            raise
        self._record.feed(event)
        return event

    async def aclose(self) -> None:
        """Stops reading: what has come is recorded, and the provider's stream is closed."""
        await _stop_async(self._events, self._record, self._thread)

    def __del__(self) -> None:
        if record := getattr(self, "_record", None):
            record.drop()


def _break_off(record: StreamedReplyRecord, thread: EngineThread) -> None:
    """The call is not made for a reply that is recorded: the engine may be closed by now."""
    if not record.is_recorded:
        try:
            thread.call(record.break_off)
        except UsageError as closed:
            record.lose(str(closed))


async def _break_off_async(record: StreamedReplyRecord, thread: EngineThread) -> None:
    if not record.is_recorded:
        try:
            await thread.finish(record.break_off)
        except UsageError as closed:
            record.lose(str(closed))


def _stop(events: Any, record: StreamedReplyRecord, thread: EngineThread) -> None:
    """Records what has come, and closes what can be closed: a generator, or a stream of an SDK."""
    record.is_stopped = True
    try:
        _break_off(record, thread)
    finally:
        if callable(close := getattr(events, "close", None)):
            close()


async def _stop_async(events: Any, record: StreamedReplyRecord, thread: EngineThread) -> None:
    record.is_stopped = True
    try:
        await _break_off_async(record, thread)
    finally:
        close = getattr(events, "aclose", None) or getattr(events, "close", None)
        if callable(close) and inspect.isawaitable(closing := close()):
            await closing


def _ensure_events(events: Any) -> None:
    """Raises UsageError for what is no stream, with what to do about it."""
    if inspect.isawaitable(events):
        if inspect.iscoroutine(events):
            events.close()
        raise UsageError("a call that was not awaited came instead of a stream; give what it returns: await it")
    is_whole = isinstance(events, str | bytes | dict) or has_fields(events)
    if isinstance(events, Iterable | AsyncIterable) and not is_whole:
        return
    from clew.codecs.frameworks.input_items import describe_value

    if hasattr(events, "stream_events"):
        next_step = "give its stream_events()"
    else:
        next_step = "give a whole response to reply" if is_whole else "give what the client returns for stream=True"
    raise UsageError(f"a stream is read event by event, and this is {describe_value(events)}; {next_step}")
