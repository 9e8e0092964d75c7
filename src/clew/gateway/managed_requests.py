"""Requests of conversations: the client's own bytes or a pack goes on, and the reply is recorded on its way back."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator

import anyio
import anyio.to_thread
import httpx2
from starlette.requests import Request
from starlette.responses import Response

from clew.adapters.calls import ClientCall
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.config import GatewayConfig
from clew.domain import Json, SessionKey
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.errors import ClewError
from clew.gateway.failures import LOGGER
from clew.gateway.headers import response_headers
from clew.gateway.metrics import Metrics
from clew.gateway.passed_response import PassedResponse, pieces_of, whole_response
from clew.gateway.reply import PassingReply
from clew.gateway.sender import Sender, unreachable
from clew.gateway.sessions import Managed, RequestSessions
from clew.gateway.upstreams import Upstream

_log = logging.getLogger(LOGGER)
#: The segment that holds the recorded system prompt, which a pack counts with its tools.
_BEFORE_FIRST_REQUEST = "x0"
#: Sessions of which the epoch is remembered.
_MOST_SESSIONS = 10_000


class ManagedRequests:
    """Answers requests of conversations."""

    def __init__(self, config: GatewayConfig, sender: Sender, sessions: RequestSessions, metrics: Metrics) -> None:
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
                call, content = await anyio.to_thread.run_sync(self._prepare, managed, model_call, is_last)
            except ClewError as error:
                _log.warning("a request passes as it came: %s", type(error).__name__)
                self._metrics.degraded.inc()
                model_call.fail()
                return None
            self._metrics.added.observe(time.monotonic() - began)
            self._count_epoch(call)
            is_rewritten = content is not managed.bytes
            try:
                reply = await self._sender.send(request, upstream, content, is_rewritten=is_rewritten, is_read=True)
            except httpx2.HTTPError as error:
                model_call.fail()
                self._sessions.note_failed(managed)
                return unreachable(upstream, format, error)
            way = "packed" if is_rewritten else "whole"
            self._metrics.requests.labels(format, way, reply.status_code).inc()
            if reply.status_code < 400:
                _log_line(managed, began, reply.status_code)
                return self._reply(reply, managed, call)
            model_call.fail()
            try:
                said = await reply.aread()
            except httpx2.HTTPError as error:
                return unreachable(upstream, format, error)
            refused = _Refused(reply.status_code, said)
            if is_last or not await anyio.to_thread.run_sync(call.conversation.make_room, refused):
                _log_line(managed, began, reply.status_code)
                self._sessions.note_failed(managed)
                kept = [one for one in response_headers(reply.headers.raw) if one[0] != b"content-encoding"]
                return whole_response(said, reply.status_code, kept)
            self._metrics.retries.inc()
        raise AssertionError("the second try returns")

    def _prepare(self, managed: Managed, model_call: ModelCall, is_refused: bool) -> tuple[ClientCall, bytes]:
        """Records what a request brings, and makes what is sent: the client's own bytes until something of the
        conversation was compacted. The first request of a session goes as it is unless the provider has refused that:
        how much it takes may not be known here.
        """
        call = managed.calls.begin(managed.request, model_call)
        session, pack = call.conversation.session, call.pack
        managed.told = [("x-clew-session", session.id)]
        if pack is None:
            return call, managed.bytes
        is_first = managed.is_new and not is_refused and not self._config.max_tokens
        is_own = pack.content.is_whole or is_first
        before = _whole_tokens(session, pack)
        after = before if is_own else pack.tokens
        sizes = {"epoch": pack.epoch, "tokens-before": before, "tokens-after": after}
        managed.told += [(f"x-clew-{name}", str(value)) for name, value in sizes.items()]
        self._metrics.tokens_before.inc(before)
        self._metrics.tokens_after.inc(after)
        return call, managed.bytes if is_own else jsonio.dumps(managed.request.with_pack(pack))

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
        is_stream = reply.headers.get("content-type", "").startswith("text/event-stream")
        passing = PassingReply(call, is_stream=is_stream, encoding=reply.headers.get("content-encoding", ""))

        async def end() -> None:
            self._metrics.count_usage(await passing.end(managed.lists, managed.name))

        async def pieces() -> AsyncIterator[bytes]:
            failing = managed.request.endpoint.format if is_stream else ""
            held: list[bytes] = []
            async for piece in pieces_of(reply, failing=failing):
                passing.feed(piece)
                if not is_stream:
                    held.append(piece)
                    continue
                if passing.is_over:
                    await end()
                yield piece
            await end()
            for piece in held:
                yield piece

        return PassedResponse(reply, response_headers(reply.headers.raw, managed.told), pieces(), end)


class _Refused(Exception):
    """An error of an upstream, as the engine reads it."""

    def __init__(self, status: int, said: bytes) -> None:
        super().__init__(said[:20_000].decode("utf-8", "replace"))
        self.status_code = status


def _whole_tokens(session: Session, pack: Pack) -> int:
    """The tokens of a conversation as its client has it, with system prompt and tools. Those of the messages are the
    recorded ones, which are rather fewer than the provider counts.
    """
    system = sum(section.tokens for section in pack.sections if section.name == "system")
    segments = (one for one in session.reader.segments() if not one.rolled_back and one.id != _BEFORE_FIRST_REQUEST)
    return system + sum(one.tokens for one in segments)


def _log_line(managed: Managed, began: float, status: int) -> None:
    """A line for each request, without a word of what it says."""
    told: Json = dict(managed.told)
    told |= {"status": status, "format": managed.request.endpoint.format, "model": managed.request.model}
    told["milliseconds"] = round((time.monotonic() - began) * 1000)
    _log.info("%s", jsonio.dumps(told).decode())
