"""Calls of an official client: the request is packed before it is sent, and the reply recorded when it is there, or
when its stream has been read, is closed, or is left.
"""

from __future__ import annotations

import copy
import inspect
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import cache, partial
from typing import Any, cast

from clew.adapters.branches import Branch, shared_branches
from clew.adapters.conversation import Conversation
from clew.adapters.requests import ConversationRequest
from clew.adapters.session_state import ModelCall, SessionHandle, ensure_budget, state_of
from clew.engine.ingest.reply_stream import AsyncStreamEvents, EngineThread, StreamedReplyRecord, StreamEvents
from clew.engine.prompt.pack import Pack


class ClientCalls:
    """The calls of one wrapped client, all of one session and its branches."""

    def __init__(self, session: SessionHandle, budget: int | None, *, sent_whole: bool = False) -> None:
        """``sent_whole`` says that a request goes as it is for as long as nothing was compacted."""
        ensure_budget(budget)
        self._session, self._budget, self._sent_whole = session, budget, sent_whole
        self._branches, self._state = shared_branches(session), state_of(session)

    def begin(self, request: ConversationRequest, model_call: ModelCall) -> ClientCall:
        """Records what is new in a request, and makes the pack that is sent in place of its messages."""
        with self._state.branching:
            return self._begin(request, model_call)

    def _begin(self, request: ConversationRequest, model_call: ModelCall) -> ClientCall:
        format, beside = request.endpoint.format, {"system": request.system, "tools": request.tools}
        about = {"model": request.model, "thinking": request.thinking}
        if request.is_kept_by_provider:
            call = ClientCall(self._conversation(self._branches.own, format), model_call)
            call.conversation.record(request.messages, **beside)
            if self._sent_whole and request.previous_response:
                call.pack = call.conversation.pack_recorded(system=request.system, **about)
            return call
        branch = self._branches.find(format, request.messages)
        call = ClientCall(self._conversation(branch, format), model_call)
        call.pack = call.conversation.pack(request.messages, call=model_call, **about, **beside)
        branch.add(call)
        return call

    def _conversation(self, branch: Branch, format: str) -> Conversation:
        """The conversation in a branch; in the session itself, by the handle that this client was given."""
        session = self._session if branch is self._branches.own else branch.session
        whole_lists = branch.conversation(format).whole_lists
        return Conversation(session, format=format, budget=self._budget, whole_lists=whole_lists)


class ClientCall:
    """A request that was sent, and the conversation that its reply belongs to."""

    def __init__(self, conversation: Conversation, model_call: ModelCall) -> None:
        self.conversation, self._model_call = conversation, model_call
        #: What is sent in place of the request's messages; None where they go as they are.
        self.pack: Pack | None = None
        self._is_over = False
        self._unread: weakref.ref[Any] | None = None

    @property
    def is_under_way(self) -> bool:
        """True until the answer is there: of a stream, until it was read or closed, or nobody has it any more."""
        result = self._unread() if self._unread else None
        is_over = self._is_over or self._model_call.is_failed
        return not is_over and (self._unread is None or not _is_closed(result))

    def end(self) -> None:
        """Notes that the answer is there, or that none comes."""
        self._is_over = True

    def receive(self, result: Any) -> Any:
        """Returns the client's result, having recorded the reply, or ready to record it when it has been read."""
        if hasattr(result, "http_response"):
            return self._raw_response(result)
        if is_stream(result):
            record_stream(result, self.conversation)
            self._unread = weakref.ref(result)
            result._clew_call = self  # under way for as long as somebody has the stream
            return result
        if hasattr(result, "model_dump"):
            self.conversation.reply(result, call=self._model_call)
        else:
            self.conversation.lose(f"the client returned an unknown {type(result).__name__}")
        self.end()
        return result

    def _raw_response(self, raw: Any) -> Any:
        """What was read is recorded; what is still to be read, when the caller parses it."""
        if raw.http_response.is_closed:
            self.conversation.reply(raw.http_response.json(), call=self._model_call)
            self.end()
        else:
            raw.parse = _once(raw.parse, self.receive)
            self._unread = weakref.ref(raw)
        return raw


def _is_closed(result: Any) -> bool:
    response = getattr(result, "http_response", None) or getattr(result, "response", None)
    return response is None or bool(response.is_closed)


def _once(parse: Callable[..., Any], receive: Callable[[Any], Any]) -> Callable[..., Any]:
    """A raw response is parsed as often as its caller likes, and recorded once."""
    seen: list[Any] = []

    def note(result: Any) -> Any:
        if not seen:
            seen.append(result)
            receive(result)
        return result

    def parse_and_note(*args: Any, **kwargs: Any) -> Any:
        found = parse(*args, **kwargs)
        return _await_and_note(found, note) if inspect.isawaitable(found) else note(found)

    return parse_and_note


async def _await_and_note(found: Awaitable[Any], note: Callable[[Any], Any]) -> Any:
    return note(await found)


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
