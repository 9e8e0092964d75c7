"""``clew.open_async``, and the engine and sessions that it gives."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Coroutine, Generator, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from clew import app
from clew.async_engine.answer_stream import AsyncAnswerStream
from clew.async_engine.handle import AsyncHandle, AsyncPart, unwrap_handle
from clew.async_engine.worker import Lane, Worker
from clew.cancellation import Cancel
from clew.config import Config
from clew.digests.reader import DigestReader
from clew.engine.conversation.answer_cache import AnswerCache
from clew.engine.engine import Engine
from clew.engine.health.profile import Profile
from clew.engine.ingest.follower import Follower
from clew.engine.ingest.reply_stream import ReplyStream
from clew.engine.session import Session
from clew.ports import Clock, Model
from clew.retrieval.document_index import DocumentIndex
from clew.telemetry.events import ensure_listener, report_listener_fault

if TYPE_CHECKING:
    from clew.domain import SessionInfo, SessionKey
    from clew.engine.conversation.answer import Answer, AnswerStream
    from clew.engine.ingest.tool_run import ToolRun
    from clew.engine.knowledge.library import Knowledge

E = TypeVar("E")
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


if TYPE_CHECKING:  # what the methods found on the classes look like from outside

    def as_awaitable(method: Callable[Concatenate[T, P], R]) -> Callable[P, Coroutine[Any, Any, R]]:
        """The method with ``await`` before it."""

    def giving_session(method: Callable[Concatenate[T, P], Session]) -> Callable[P, Coroutine[Any, Any, AsyncSession]]:
        """The method with ``await`` before it, whose session is asynchronous too."""


class AsyncSession(AsyncHandle[Session]):
    """A session whose methods are awaited, and so is ``info``. ``stream`` is read with ``async for``."""

    plain = frozenset({"id", "key", "config"})
    parts = frozenset({"reader", "channels", "compactor", "monitor", "packer", "system_prompt"})
    hidden = frozenset({"turn"})

    def _lane_of(self, value: Any) -> Lane:
        return self._lane.worker.lane(value.key) if isinstance(value, Session) else self._lane

    def stream(self, events: AsyncIterable[E], *, format: str | None = None) -> ReplyStream[E]:
        """Passes the events of a provider's stream through, untouched, and records the reply when they end.

        What came of a stream that breaks off is recorded as interrupted, before whatever is asked of the session next.
        """
        self._lane.worker.ensure_open()
        return ReplyStream(events, self._target.channels.streamed_reply(format), self._lane)

    async def ask(self, query: str, **options: Any) -> Answer:
        """Asks a model, runs the tools that it calls, and returns its answer, with the options of ``Session.ask``.

        Tools may be asynchronous. While it waits for the model or a tool, the engine does what others ask of it; a
        further turn of this session begins when this one has ended.
        """
        return await self._lane.worker.run_to_end(self._answer_stream(query, options, streams=False).read())

    def ask_stream(self, query: str, **options: Any) -> AsyncAnswerStream:
        """Asks a model as ``ask`` does, and gives its words for the user as they come, for ``async for``. Leaving the
        loop ends the reply, and what has come of it is recorded as interrupted.
        """
        return self._answer_stream(query, options, streams=True)

    def _answer_stream(self, query: str, options: dict[str, Any], *, streams: bool) -> AsyncAnswerStream:
        session, cancel = self._target, options.pop("cancel", None)

        def begin(cancelled: Cancel) -> AnswerStream:
            return session.turn(query, cancel=cancelled, streams=streams, awaits=True, **options)

        return AsyncAnswerStream(begin, self._lane, lock=self._lane.worker.turn_lock(session.key), cancel=cancel)

    @asynccontextmanager
    async def tool(self, call_id: str) -> AsyncIterator[ToolRun]:
        """An ``async with`` block for running a tool that the model has called; ``run.output(…)`` gives the result.
        The end is recorded also if the task is cancelled.
        """
        run = await self._lane.run(partial(self._target.tool, call_id))
        await self._lane.run(run.__enter__)
        try:
            yield run
        except BaseException as error:
            await self._lane.finish(partial(run.__exit__, type(error), error, error.__traceback__))
            raise
        await self._lane.finish(partial(run.__exit__, None, None, None))

    if TYPE_CHECKING:
        id: str
        key: SessionKey
        config: Config
        info: Awaitable[SessionInfo]
        user: Awaitable[str]
        reader: AsyncPart
        channels: AsyncPart
        compactor: AsyncPart
        monitor: AsyncPart
        packer: AsyncPart
        system_prompt: AsyncPart
        record = staticmethod(as_awaitable(Session.record))
        reply = staticmethod(as_awaitable(Session.reply))
        messages = staticmethod(as_awaitable(Session.messages))
        recall = staticmethod(as_awaitable(Session.recall))
        retrieve = staticmethod(as_awaitable(Session.retrieve))
        search = staticmethod(as_awaitable(Session.search))
        story = staticmethod(as_awaitable(Session.story))
        current_context = staticmethod(as_awaitable(Session.current_context))
        mend = staticmethod(as_awaitable(Session.mend))
        missing_outputs = staticmethod(as_awaitable(Session.missing_outputs))
        retrieval_use = staticmethod(as_awaitable(Session.retrieval_use))
        limit = staticmethod(as_awaitable(Session.limit))
        system = staticmethod(as_awaitable(Session.system))
        pack = staticmethod(as_awaitable(Session.pack))
        compact = staticmethod(as_awaitable(Session.compact))
        undo = staticmethod(as_awaitable(Session.undo))
        health = staticmethod(as_awaitable(Session.health))
        drift = staticmethod(as_awaitable(Session.drift))
        pin = staticmethod(as_awaitable(Session.pin))
        pins = staticmethod(as_awaitable(Session.pins))
        unpin = staticmethod(as_awaitable(Session.unpin))
        learn_profile = staticmethod(as_awaitable(Session.learn_profile))
        resume = staticmethod(as_awaitable(Session.resume))
        rollback = staticmethod(as_awaitable(Session.rollback))
        edit = staticmethod(as_awaitable(Session.edit))
        fork = staticmethod(giving_session(Session.fork))


class AsyncEngine(AsyncHandle[Engine]):
    """An engine whose methods are awaited. Close it, or use it in an ``async with`` block."""

    plain = frozenset({"config", "user"})
    hidden = frozenset({"store", "services", "reading_ahead", "seen_user"})

    def _lane_for(self, name: str) -> Lane:
        """Calls of one method are made one after the other; who opens a session does not wait for an import."""
        return self._lane.worker.lane(name)

    def _lane_of(self, value: Any) -> Lane:
        if isinstance(value, Engine):
            return self._lane
        return self._lane.worker.lane(value.key if isinstance(value, Session) else object())

    async def close(self) -> None:
        """Ends background work and closes the store, after all that was asked for before. Closing twice is fine."""
        worker = self._lane.worker
        await worker.wait_for_turns()
        await asyncio.shield(asyncio.wrap_future(worker.shut_down(self._target.close)))

    async def on(self, name: str, listener: Callable[..., Any]) -> Callable[[], None]:
        """Calls ``listener(event)`` in the event loop for each event of that name (``*`` for all).

        It may be a coroutine function; what it raises is told, and stops nobody. Returns a function that removes it.
        Raises UsageError for an unknown name.
        """
        ensure_listener(name, listener)
        loop, running = asyncio.get_running_loop(), set[asyncio.Task[Any]]()

        async def hear(event: Any) -> None:
            try:
                heard = listener(event)
                if inspect.isawaitable(heard):
                    await heard
            except Exception:
                report_listener_fault()

        def start(event: Any) -> None:
            task = loop.create_task(hear(event))
            running.add(task)
            task.add_done_callback(running.discard)

        return self._target.on(name, lambda event: loop.call_soon_threadsafe(start, event))

    @property
    def knowledge(self) -> AsyncHandle[Knowledge]:
        """The knowledge modules of the configured user, whose methods are awaited."""
        return AsyncHandle(self._target.knowledge, self._lane_for("knowledge"))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    if TYPE_CHECKING:
        config: Config
        user: str

        def session(self, id: str, *, user: str | None = None, **about: Any) -> Coroutine[Any, Any, AsyncSession]: ...

        def for_user(self, user: str) -> Coroutine[Any, Any, AsyncEngine]: ...

        def profile(self, user: str | None = None) -> Coroutine[Any, Any, AsyncHandle[Profile]]: ...

        def answers(self, user: str | None = None) -> Coroutine[Any, Any, AsyncHandle[AnswerCache]]: ...

        def documents(
            self, collection: str, *, user: str | None = None
        ) -> Coroutine[Any, Any, AsyncHandle[DocumentIndex]]: ...

        def follow_file(
            self, path: Path | str, *, format: str = "auto", session: str = "", user: str | None = None
        ) -> Coroutine[Any, Any, AsyncHandle[Follower]]: ...

        wait = staticmethod(as_awaitable(Engine.wait))
        count = staticmethod(as_awaitable(Engine.count))
        search = staticmethod(as_awaitable(Engine.search))
        vector_progress = staticmethod(as_awaitable(Engine.vector_progress))
        cache_use = staticmethod(as_awaitable(Engine.cache_use))
        has_embedder: Awaitable[bool]
        read_on = staticmethod(as_awaitable(Engine.read_on))
        read_all = staticmethod(as_awaitable(Engine.read_all))
        read_now = staticmethod(as_awaitable(Engine.read_now))
        unread = staticmethod(as_awaitable(Engine.unread))
        derived_reach = staticmethod(as_awaitable(Engine.derived_reach))
        finish = staticmethod(as_awaitable(Engine.finish))
        key = staticmethod(as_awaitable(Engine.key))
        find = staticmethod(giving_session(Engine.find))
        infos = staticmethod(as_awaitable(Engine.infos))
        sessions = staticmethod(as_awaitable(Engine.sessions))
        gain = staticmethod(as_awaitable(Engine.gain))
        import_file = staticmethod(as_awaitable(Engine.import_file))
        complete_import = staticmethod(as_awaitable(Engine.complete_import))
        mark_latest = staticmethod(as_awaitable(Engine.mark_latest))
        purge = staticmethod(as_awaitable(Engine.purge))
        discard = staticmethod(as_awaitable(Engine.discard))
        rebuild = staticmethod(as_awaitable(Engine.rebuild))


AsyncHandle.faces |= {
    Session: AsyncSession,
    Engine: AsyncEngine,
    Profile: AsyncHandle,
    AnswerCache: AsyncHandle,
    DigestReader: AsyncHandle,
    Follower: AsyncHandle,
    DocumentIndex: AsyncHandle,
}


def session_handle(engine: AsyncEngine, id: str, *, user: str | None) -> AsyncSession:
    """Opens a session of an asynchronous engine, blocking whoever asks."""
    target, lane = unwrap_handle(engine)
    session = lane.worker.lane("session").call(partial(target.session, id, user=user))
    return AsyncSession(session, lane.worker.lane(session.key))


class AsyncOpening:
    """An engine that is about to be opened: in an ``async with`` block, or by awaiting it."""

    def __init__(self, opening: Callable[[], Engine]) -> None:
        self._opening = opening
        self._engine: AsyncEngine | None = None

    def __await__(self) -> Generator[Any, Any, AsyncEngine]:
        return self._open().__await__()

    async def _open(self) -> AsyncEngine:
        worker = Worker()
        lane = worker.lane("engine")
        opening = lane.submit(self._opening)
        try:
            return AsyncEngine(await asyncio.wrap_future(opening), lane)
        except BaseException:
            worker.shut_down(partial(_close_opened, opening))
            raise

    async def __aenter__(self) -> AsyncEngine:
        self._engine = await self._open()
        return self._engine

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._engine is not None:
            await self._engine.close()


def _close_opened(opening: Future[Engine]) -> None:
    """Closes an engine that was opened although nobody waits for it any more."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def open_async(
    store: str | Path | None = None,
    *,
    config: Config | None = None,
    clock: Clock | None = None,
    model: Model | None = None,
    settings: Mapping[str, Any] | None = None,
    summariser: Callable[[str], str] | None = None,
) -> AsyncOpening:
    """Opens an engine for asynchronous callers, on a store as ``clew.open`` takes it.

    Its methods, and those of its sessions, have the names that they have there, and are awaited.
    """
    how = {"config": config, "clock": clock, "model": model, "settings": settings, "summariser": summariser}
    return AsyncOpening(partial(app.open, store, **how))  # type: ignore[arg-type]
