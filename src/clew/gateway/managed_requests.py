"""Requests of conversations: the client's own bytes or a pack goes on, and the reply is recorded on its way back."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from functools import partial

import anyio
import anyio.to_thread
import httpx2
from starlette.requests import Request
from starlette.responses import Response

from clew.adapters.calls import ClientCall
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.config import Config
from clew.domain import Json, SessionKey
from clew.errors import ClewError, UsageError
from clew.gateway.failures import LOGGER
from clew.gateway.headers import response_headers
from clew.gateway.joined_turn import JoinedTurn
from clew.gateway.metrics import Metrics
from clew.gateway.passed_response import PassedResponse, pieces_of, read_reply, whole_response
from clew.gateway.prepared_request import PreparedRequest, prepare
from clew.gateway.reply import PassingReply
from clew.gateway.sender import Sender, unreachable, while_client_waits
from clew.gateway.sessions import Managed, RequestSessions
from clew.gateway.turn_reply import TurnBroken, TurnReply
from clew.gateway.upstreams import Upstream

_log = logging.getLogger(LOGGER)
#: Sessions of which the epoch is remembered.
_MOST_SESSIONS = 10_000


class ManagedRequests:
    """Answers requests of conversations."""

    def __init__(self, config: Config, sender: Sender, sessions: RequestSessions, metrics: Metrics) -> None:
        self._config, self._sender, self._sessions, self._metrics = config, sender, sessions, metrics
        #: The epochs of the sessions that were asked about last.
        self._epochs: dict[SessionKey, int] = {}

    async def answer(self, request: Request, upstream: Upstream, managed: Managed) -> Response | None:
        """Sends the request, once more where it was too long and could be made smaller. Returns None where something
        here is wrong: then it is to pass as it came.
        """
        began, format = time.monotonic(), managed.request.endpoint.format
        for is_last in (False, True):
            model_call = ModelCall()
            try:
                prepared = await anyio.to_thread.run_sync(self._prepare, managed, model_call, is_last)
            except ClewError as error:
                _log.warning("a request passes as it came: %s", type(error).__name__)
                self._metrics.degraded.inc()
                model_call.fail()
                return None
            self._metrics.added.observe(time.monotonic() - began)
            self._count_epoch(prepared.call)
            is_rewritten = prepared.content is not managed.bytes
            send = partial(self._sender.send, request, upstream, is_rewritten=is_rewritten, is_read=True)
            try:
                reply = await send(prepared.content)
            except httpx2.HTTPError as error:
                await self._fail(managed, prepared)
                return unreachable(upstream, format, error)
            self._metrics.requests.labels(format, "packed" if prepared.pack else "whole", reply.status_code).inc()
            if reply.status_code < 400:
                _log_line(managed, began, reply.status_code)
                turn = JoinedTurn(managed, prepared, tells_history=self._config.gateway.usage == "history")
                if not turn.is_changed:
                    return self._reply(reply, managed, prepared.call)
                return await self._turn(request, upstream, managed, reply, turn)
            model_call.fail()
            try:
                said = await read_reply(reply)
            except httpx2.HTTPError as error:
                return unreachable(upstream, format, error)
            refused = TurnBroken(said, reply)
            if is_last or not await anyio.to_thread.run_sync(prepared.call.conversation.make_room, refused):
                _log_line(managed, began, reply.status_code)
                await self._fail(managed, prepared)
                return _as_it_came(reply, said)
            self._metrics.retries.inc()
        raise AssertionError("the second try returns")

    async def _fail(self, managed: Managed, prepared: PreparedRequest) -> None:
        """Notes that no answer comes, also where the client has left."""
        prepared.model_call.fail()
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(self._sessions.note_failed, managed, prepared.call)

    def _prepare(self, managed: Managed, model_call: ModelCall, is_refused: bool) -> PreparedRequest:
        made = prepare(managed, model_call, self._config, is_refused=is_refused)
        managed.reply_headers = [("x-clew-session", made.call.conversation.session.id)]
        if made.call.pack is not None:
            sizes = {"epoch": made.epoch, "tokens-before": made.before, "tokens-after": made.after}
            managed.reply_headers += [(f"x-clew-{name}", str(value)) for name, value in sizes.items()]
            self._metrics.tokens_before.inc(made.before)
            self._metrics.tokens_after.inc(made.after)
        return made

    def _count_epoch(self, call: ClientCall) -> None:
        """Counts a request that begins otherwise than the one before it."""
        if call.pack is None:
            return
        key, epoch = call.conversation.session.key, call.pack.epoch
        if self._epochs.pop(key, epoch) != epoch:
            self._metrics.epochs.inc()
        self._epochs[key] = epoch
        if len(self._epochs) > _MOST_SESSIONS:
            self._epochs.pop(next(iter(self._epochs)), None)

    def _reply(self, reply: httpx2.Response, managed: Managed, call: ClientCall) -> Response:
        """The reply as it comes. It is recorded before its client has all of it and may go on, or however it ends."""
        is_stream = _is_stream(reply)
        passing = PassingReply(call, is_stream=is_stream, encoding=reply.headers.get("content-encoding", ""))

        async def end() -> None:
            self._metrics.count_usage(await passing.end(managed.lists, managed.name))

        async def pieces() -> AsyncIterator[bytes]:
            failing = managed.request.endpoint.format if is_stream else ""
            held: list[bytes] = []
            async for piece in pieces_of(reply, failing=failing):
                passing.feed(piece)
                if not is_stream and passing.is_read:
                    held.append(piece)
                    continue
                if passing.is_over:
                    await end()
                while held:  # what is not read is not waited for
                    yield held.pop(0)
                yield piece
            await end()
            for piece in held:
                yield piece

        return PassedResponse(reply, response_headers(reply.headers.raw, managed.reply_headers), pieces(), end)

    async def _turn(
        self, request: Request, upstream: Upstream, managed: Managed, first: httpx2.Response, turn: JoinedTurn
    ) -> Response:
        """The reply to a turn that may take several, of which the client sees one."""
        send = partial(self._sender.send, request, upstream, watches=False, is_rewritten=True, is_read=True)
        reply = TurnReply(turn, send, self._metrics)
        headers = _without_size(response_headers(first.headers.raw, managed.reply_headers))
        if _is_stream(first):
            return PassedResponse(first, headers, reply.events(first), reply.end)
        try:
            return whole_response(await while_client_waits(request, partial(reply.whole, first)), 200, headers)
        except TurnBroken as refused:
            await self._fail(managed, turn.sent)
            return _as_it_came(refused.reply or first, refused.said)
        except UsageError:  # what the provider says is the client's to hear
            return _as_it_came(first, await read_reply(first))
        except httpx2.HTTPError as error:
            await self._fail(managed, turn.sent)
            return unreachable(upstream, turn.format, error)


def _is_stream(reply: httpx2.Response) -> bool:
    return bool(reply.headers.get("content-type", "").startswith("text/event-stream"))


def _as_it_came(reply: httpx2.Response, said: bytes) -> Response:
    return whole_response(said, reply.status_code, _without_size(response_headers(reply.headers.raw)))


def _without_size(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [one for one in headers if one[0] not in (b"content-encoding", b"content-length")]


def _log_line(managed: Managed, began: float, status: int) -> None:
    """A line for each request, without a word of what it says."""
    line: Json = dict(managed.reply_headers)
    line |= {"status": status, "format": managed.request.endpoint.format, "model": managed.request.model}
    line["milliseconds"] = round((time.monotonic() - began) * 1000)
    _log.info("%s", jsonio.dumps(line).decode())
