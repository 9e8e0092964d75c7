"""The reply to a turn that may take several: its events as they come, or all of it at once."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from typing import Any

import anyio
import anyio.to_thread
import httpx2

from clew.codecs import jsonio
from clew.codecs.streams.assembler import ReplyAssembler
from clew.codecs.streams.joined_events import DONE, JOINED_EVENTS
from clew.domain import Json
from clew.errors import UsageError
from clew.gateway.bodies import Decompressor
from clew.gateway.event_reader import EventReader
from clew.gateway.failures import LOGGER, failure_event
from clew.gateway.joined_turn import JoinedTurn
from clew.gateway.metrics import Metrics
from clew.gateway.passed_response import read_reply

_log = logging.getLogger(LOGGER)
#: Seconds that a stream is given to end, once all is said: its connection can be used again then.
_LINGER = 0.1
#: A comment, which clients pass over: they wait on for a stream that says anything.
_ALIVE = b":\n\n"

Send = Callable[[bytes], Awaitable[httpx2.Response]]


class TurnBroken(Exception):
    """A turn cannot go on: an upstream refuses its next request, or breaks its reply off. It is read as the engine
    reads an error of a client.
    """

    def __init__(self, said: bytes, reply: httpx2.Response | None = None) -> None:
        super().__init__(said[:20_000].decode("utf-8", "replace"))
        self.said, self.reply = said, reply
        self.status_code = reply.status_code if reply else 502


class TurnReply:
    """The replies of one turn on their way. ``send`` sends its further requests."""

    def __init__(self, turn: JoinedTurn, send: Send, metrics: Metrics) -> None:
        self._turn, self._send, self._metrics = turn, send, metrics
        self._reply: httpx2.Response | None = None
        self._assembler = ReplyAssembler(turn.format)
        self._is_ended = False

    async def events(self, reply: httpx2.Response) -> AsyncIterator[bytes]:
        """Yields the events of the whole turn. It is recorded before the last of them; one that breaks off ends with an
        error.
        """
        turn = self._turn
        joined = JOINED_EVENTS[turn.format](turn.sent.hidden, turn.new_text_filter, self._client_usage)
        try:
            while True:
                async for events in self._events(reply):
                    if made := [one for event in events for one in joined.feed(event)]:
                        yield _encoded(made, turn.format)
                    elif not events:
                        yield _ALIVE
                    if any(map(_is_failure, events)):
                        await self.end()
                        return
                whole = self._assembler.reply()
                if whole is None or not whole.is_complete or not isinstance(whole.response, dict):
                    raise TurnBroken(b"the upstream broke off its reply")
                if not await self._goes_on(whole.response):
                    break
                reply = await self._next()
                joined.begin_next()
        except (httpx2.HTTPError, UsageError, TurnBroken) as error:
            _log.warning("a reply broke off: %s", type(error).__name__)
            await self.end()
            reason = str(error) if isinstance(error, TurnBroken) else "the upstream broke off its reply"
            yield failure_event(turn.format, reason)
            return
        await self.end()
        yield _encoded(joined.finish(turn.client_reply()), turn.format)

    async def whole(self, reply: httpx2.Response) -> bytes:
        """Returns the whole turn, as the client has it. Raises TurnBroken where an upstream refuses to go on,
        UsageError for what is no reply, HTTPError where none comes.
        """
        try:
            while True:
                self._reply = reply
                said = await read_reply(reply)
                if not await self._goes_on(_object(said)):
                    break
                reply = await self._next()
        finally:
            await self.end()
        reply_body = self._turn.client_reply()
        return said if reply_body == _object(said) else jsonio.dumps(reply_body)

    async def end(self) -> None:
        """Records what has come, once. It is done to the end, whoever has left meanwhile."""
        if self._is_ended:
            return
        self._is_ended = True
        with anyio.CancelScope(shield=True):
            if self._reply is not None:
                await self._reply.aclose()
            begun = self._assembler.reply() if self._assembler.events else None
            response = begun.response if begun and isinstance(begun.response, dict) else None
            self._metrics.count_usage(await anyio.to_thread.run_sync(self._turn.record, response))
            self._metrics.retrievals.inc(self._turn.answered)

    async def _goes_on(self, response: Json) -> bool:
        goes_on = await anyio.to_thread.run_sync(self._turn.take, response)
        self._assembler = ReplyAssembler(self._turn.format)
        return goes_on

    async def _next(self) -> httpx2.Response:
        """The next reply of the turn. One that is refused as too long leaves more room to who asks again."""
        content = await anyio.to_thread.run_sync(self._turn.next_content)
        self._reply = reply = await self._send(content)
        if reply.status_code >= 400:
            refused = TurnBroken(await read_reply(reply), reply)
            await anyio.to_thread.run_sync(self._turn.sent.call.conversation.make_room, refused)
            raise refused
        return reply

    async def _events(self, reply: httpx2.Response) -> AsyncIterator[list[Json]]:
        """The events of one reply, as they come together; none behind its end. A comment, by which an upstream says
        that it is at work, is no events.
        """
        self._reply, reader = reply, EventReader()
        unpack, pieces = Decompressor(reply.headers.get("content-encoding", "")), reply.aiter_raw()
        async for piece in pieces:
            said = unpack.feed(piece)
            events = reader.feed(said)
            for event in events:
                self._assembler.feed(event)
            if events or said.startswith(b":"):
                yield events
            if self._assembler.is_complete and (reader.is_done or self._turn.format != "openai-chat"):
                break
        with anyio.move_on_after(_LINGER):
            async for _ in pieces:
                pass
        await reply.aclose()

    def _client_usage(self, usage: Json) -> Json:
        history = self._turn.client_usage([usage])
        return usage if history is None else history


def _object(said: bytes) -> Json:
    try:
        found = jsonio.loads(said)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError("the reply is no object")
    return found


def _is_failure(event: Json) -> bool:
    return event.get("type") in ("error", "response.failed") or (event.get("error") is not None and "type" not in event)


def _encoded(events: Iterable[Json | str], format: str) -> bytes:
    return b"".join(_encoded_event(one, format) for one in events)


def _encoded_event(event: Any, format: str) -> bytes:
    if event == DONE:
        return b"data: [DONE]\n\n"
    name = b"event: " + str(event.get("type", "")).encode() + b"\n" if format != "openai-chat" else b""
    return name + b"data: " + jsonio.dumps(event) + b"\n\n"
