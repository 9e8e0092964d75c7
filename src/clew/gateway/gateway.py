"""The gateway: takes a client's request, sends it on as it came or with a pack in place of its messages, and passes the
reply back while it records it.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import Any

import anyio
import anyio.to_thread
import httpx2
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from clew.adapters.calls import ClientCall, ClientCalls
from clew.adapters.requests import ENDPOINTS, ConversationRequest, Endpoint
from clew.adapters.session_state import ModelCall
from clew.codecs import jsonio
from clew.domain import Json
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.errors import ClewError, UsageError
from clew.gateway.bodies import BodyTooLarge, decompress, read_body
from clew.gateway.failures import failure_body
from clew.gateway.headers import request_headers, response_headers
from clew.gateway.instant_summary import summary_events, summary_reply
from clew.gateway.list_names import KnownLists, ListName, list_name
from clew.gateway.metrics import Metrics
from clew.gateway.passed_response import LOGGER, PassedResponse, pieces_of, whole_response
from clew.gateway.reply import PassingReply
from clew.gateway.session_names import assistant_of, session_name
from clew.gateway.side_work import is_side_work, is_summary_request
from clew.gateway.upstreams import ANTHROPIC, OPENAI, Upstream, Upstreams
from clew.mcp_server.request import USER_STATE

_log = logging.getLogger(LOGGER)
_BYPASS, _USER = "x-clew-bypass", "x-clew-user"
#: Lists of which no answer is known yet, the newest: a client that tries again goes on in the same session.
_MOST_UNANSWERED = 1_000
#: The segment that holds the recorded system prompt, which a pack counts with its tools.
_BEFORE_FIRST_REQUEST = "x0"
#: Connections that are kept to upstreams, and made at the same time.
_CONNECTIONS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)


@dataclass(slots=True)
class Managed:
    """A request of a conversation: what it asks, the session it belongs to, the name of its list where it gives no
    other, its bytes, whether it begins its session, and what the client is told of it.
    """

    request: ConversationRequest
    session: Session
    lists: KnownLists
    name: ListName | None
    bytes: bytes
    calls: ClientCalls
    is_new: bool
    told: list[tuple[str, str]] = field(default_factory=list)


class Gateway:
    """Everything that answers on the paths of the providers' APIs."""

    def __init__(self, engine: Engine, upstreams: Upstreams) -> None:
        self._engine, self._upstreams = engine, upstreams
        self._config = engine.config.gateway
        wait = httpx2.Timeout(self._config.silent_seconds, connect=self._config.connect_seconds)
        self._client = httpx2.AsyncClient(timeout=wait, limits=_CONNECTIONS, follow_redirects=False, trust_env=False)
        self.metrics = Metrics()
        engine.on("compaction.complete", lambda _event: self.metrics.epochs.inc())
        self._unanswered: OrderedDict[bytes, str] = OrderedDict()
        self._naming = Lock()

    async def close(self) -> None:
        """Closes all connections."""
        await self._client.aclose()

    async def converse(self, request: Request, format: str) -> Response:
        """Answers a request of a conversation, in the format of its API."""
        endpoint = next(one for one in ENDPOINTS if one.format == format)
        api = ANTHROPIC if format == "anthropic" else OPENAI
        try:
            sent = await read_body(request.stream(), self._config.max_body_bytes)
            body = await anyio.to_thread.run_sync(self._read, sent, request.headers.get("content-encoding", ""))
        except BodyTooLarge as error:
            return JSONResponse(failure_body(format, str(error)), status_code=413)
        except UsageError as error:
            return JSONResponse(failure_body(format, str(error)), status_code=400)
        if (summary := await self._instant_summary(request, endpoint, body)) is not None:
            return summary
        try:
            upstream = self._upstreams.find(api, _model(body))
        except UsageError as error:
            return JSONResponse(failure_body(format, str(error)), status_code=404)
        managed = await self._find_managed(request, endpoint, body, sent)
        if managed is None:
            return await self._pass_on(request, upstream, sent, format)
        return await self._answer(request, upstream, managed)

    async def forward(self, request: Request, api: str) -> Response:
        """Passes a request on as it is, to the upstream that has the model of its path or body."""
        try:
            sent = await read_body(request.stream(), self._config.max_body_bytes)
            body = self._read(sent, request.headers.get("content-encoding", ""))
            upstream = self._upstreams.find(api, request.path_params.get("model") or _model(body))
        except BodyTooLarge as error:
            return JSONResponse(failure_body(api, str(error)), status_code=413)
        except UsageError as error:
            return JSONResponse(failure_body(api, str(error)), status_code=404)
        return await self._pass_on(request, upstream, sent, api)

    async def forward_by_caller(self, request: Request) -> Response:
        """Passes a request on as it is, to the upstream whose API its headers speak."""
        return await self.forward(request, ANTHROPIC if "anthropic-version" in request.headers else OPENAI)

    # ── which requests are managed ───────────────────────────────────────────────────────────────────

    def _read(self, sent: bytes, encoding: str) -> Any:
        """What a body says; None where it is no JSON: what the provider says of that is the client's to hear."""
        try:
            return jsonio.loads(decompress(sent, encoding, self._config.max_body_bytes))
        except ValueError:
            return None

    async def _find_managed(self, request: Request, endpoint: Endpoint, body: Any, sent: bytes) -> Managed | None:
        """The request with its session; None where it passes as it is."""
        asked_of = body.get(endpoint.messages) if isinstance(body, dict) else None
        is_asked = bool(asked_of) and isinstance(asked_of, list | str)
        if not self._config.manage or request.headers.get(_BYPASS) == "1" or not is_asked:
            return None
        asked = ConversationRequest(endpoint, body)
        if is_side_work(asked, has_tools=bool(assistant_of(request.headers))):
            return None
        try:
            return await anyio.to_thread.run_sync(self._find_session, request, asked, sent)
        except ClewError as error:  # a client is served whatever is wrong here
            _log.warning("a request passes as it came: %s", type(error).__name__)
            return None

    def _find_session(self, request: Request, asked: ConversationRequest, sent: bytes) -> Managed | None:
        """The session of a request: the one it names, or whose list it goes on from, or a new one. None for one that
        goes on from what the provider alone has.
        """
        client, owner = assistant_of(request.headers), self._owner(request)
        lists = KnownLists(self._engine.store, self._engine.config.tenant, owner)
        name = self._list_name(request, asked)
        id = "" if asked.is_kept_by_provider else session_name(request.headers, asked.body)
        if asked.is_kept_by_provider:
            id = lists.find_response(asked.previous_response) if asked.previous_response else ""
            if not id:  # what the provider has of it is not known here: it passes, and is valid
                return None
        elif name is not None and not id:
            id = lists.find(name) or self._failed_before(name) or f"gateway-{secrets.token_hex(8)}"
        about = {"model": asked.model or None, "client": client or None}
        session = self._engine.session(id, user=owner or None, alone=not owner, **about)
        calls = ClientCalls(session, self._config.max_tokens or None, sent_whole=True)
        return Managed(asked, session, lists, name, sent, calls, is_new=not session.info.messages)

    def _list_name(self, request: Request, asked: ConversationRequest) -> ListName | None:
        """The name of a request's list, where it gives no other; of one whose conversation the provider has, none."""
        by_response = asked.endpoint.format == "openai-responses" and asked.body.get("store") is not False
        if session_name(request.headers, asked.body) and not by_response:
            return None
        who = next((value for name, value in request.headers.items() if name in {"authorization", "x-api-key"}), "")
        about = jsonio.dumps([asked.system, blake2b(who.encode(), digest_size=16).hexdigest()])
        return list_name(asked.messages, asked.endpoint.format, about=about)

    def _failed_before(self, name: ListName) -> str:
        """The session of a list that was sent before and got no answer; empty where there is none."""
        with self._naming:
            return self._unanswered.pop(name.whole, "")

    def _note_failed(self, managed: Managed) -> None:
        """Who sends a list again that got no answer goes on in the same session."""
        with self._naming:
            if managed.name is not None:
                self._unanswered[managed.name.whole] = managed.session.id
            while len(self._unanswered) > _MOST_UNANSWERED:
                self._unanswered.popitem(last=False)

    # ── summaries that are made here ─────────────────────────────────────────────────────────────────

    async def _instant_summary(self, request: Request, endpoint: Endpoint, body: Any) -> Response | None:
        """The answer to an assistant's own request for a summary, where settings ask for that; None for any other."""
        is_asked = self._config.instant_summaries and assistant_of(request.headers) and isinstance(body, dict)
        asked = ConversationRequest(endpoint, body) if is_asked else None
        if asked is None or request.headers.get(_BYPASS) == "1" or not is_summary_request(asked):
            return None
        try:
            text = await anyio.to_thread.run_sync(self._summary, request, asked)
        except ClewError as error:
            _log.warning("a summary is left to the model: %s", type(error).__name__)
            return None
        reply = summary_reply(endpoint.format, text, asked.model, number=time.time_ns()) if text else None
        if reply is None:
            return None
        self.metrics.requests.labels(endpoint.format, "instant summary", 200).inc()
        if body.get("stream"):
            return Response(summary_events(endpoint.format, reply), media_type="text/event-stream")
        return JSONResponse(reply)

    def _summary(self, request: Request, asked: ConversationRequest) -> str:
        """The session as a text; empty where there is none of that name."""
        user, name = self._owner(request), session_name(request.headers, asked.body)
        if not name or self._engine.store.session(self._engine.key(name, user=user or None)) is None:
            return ""
        session = self._engine.session(name, user=user or None)
        return session.pack(None, budget=self._config.summary_tokens, target="text", record=False).text

    def _owner(self, request: Request) -> str:
        """Whose session a request belongs to: who works with an assistant here is the person at this machine; whoever
        else calls names the user, or nobody.
        """
        user = str(request.scope.get("state", {}).get(USER_STATE) or request.headers.get(_USER, "")).strip()
        return user or (self._engine.user if assistant_of(request.headers) else "")

    # ── requests that pass ───────────────────────────────────────────────────────────────────────────

    async def _pass_on(self, request: Request, upstream: Upstream, sent: bytes, format: str) -> Response:
        headers = request_headers(request.headers.raw, upstream, length=len(sent))
        try:
            reply = await self._send(request, upstream, headers, sent)
        except httpx2.HTTPError as error:
            return self._unreachable(upstream, format, error)
        self.metrics.requests.labels(format, "passed", reply.status_code).inc()
        return PassedResponse(reply, response_headers(reply.headers.raw), pieces_of(reply))

    async def _send(
        self, request: Request, upstream: Upstream, headers: list[tuple[bytes, bytes]], content: bytes
    ) -> httpx2.Response:
        path = request.scope.get("raw_path", b"").decode("latin-1") or request.url.path
        url = upstream.address(path, request.url.query)
        built = self._client.build_request(request.method, url, content=content)
        built.headers = httpx2.Headers([(b"host", built.headers["host"].encode()), *headers])
        return await _while_client_waits(request, partial(self._client.send, built, stream=True))

    def _unreachable(self, upstream: Upstream, format: str, error: Exception) -> Response:
        status = 504 if isinstance(error, httpx2.TimeoutException) else 502
        _log.warning("the upstream %s does not answer: %s", upstream.name, type(error).__name__)
        said = f"the upstream {upstream.name} does not answer: {type(error).__name__}"
        return JSONResponse(failure_body(format, said), status_code=status)

    # ── requests that are managed ────────────────────────────────────────────────────────────────────

    async def _answer(self, request: Request, upstream: Upstream, managed: Managed) -> Response:
        """Sends the request, once more where it was too long and could be made smaller."""
        began, format = time.monotonic(), managed.request.endpoint.format
        for is_last in (False, True):
            model_call = ModelCall()
            try:
                call, content = await anyio.to_thread.run_sync(self._prepare, managed, model_call, is_last)
            except ClewError as error:
                _log.warning("a request passes as it came: %s", type(error).__name__)
                self.metrics.degraded.inc()
                model_call.fail()
                return await self._pass_on(request, upstream, managed.bytes, format)
            self.metrics.added.observe(time.monotonic() - began)
            is_rewritten = content is not managed.bytes
            how: Any = {"length": len(content), "is_rewritten": is_rewritten, "is_read": True}
            headers = request_headers(request.headers.raw, upstream, **how)
            try:
                reply = await self._send(request, upstream, headers, content)
            except httpx2.HTTPError as error:
                model_call.fail()
                self._note_failed(managed)
                return self._unreachable(upstream, format, error)
            way = "whole" if content is managed.bytes else "packed"
            self.metrics.requests.labels(format, way, reply.status_code).inc()
            if reply.status_code < 400:
                self._log_line(managed, began, reply.status_code)
                return await self._reply(reply, managed, call)
            model_call.fail()
            try:
                said = await reply.aread()
            except httpx2.HTTPError as error:
                return self._unreachable(upstream, format, error)
            refused = _Refused(reply.status_code, said)
            if is_last or not await anyio.to_thread.run_sync(call.conversation.make_room, refused):
                self._log_line(managed, began, reply.status_code)
                self._note_failed(managed)
                kept = [one for one in response_headers(reply.headers.raw) if one[0] != b"content-encoding"]
                return whole_response(said, reply.status_code, kept)
            self.metrics.retries.inc()
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
        self.metrics.tokens_before.inc(before)
        self.metrics.tokens_after.inc(after)
        return call, managed.bytes if is_own else jsonio.dumps(managed.request.with_pack(pack))

    async def _reply(self, reply: httpx2.Response, managed: Managed, call: ClientCall) -> Response:
        """The reply as it comes. It is recorded before its client has all of it and may go on, or however it ends."""
        is_stream = reply.headers.get("content-type", "").startswith("text/event-stream")
        passing = PassingReply(call, is_stream=is_stream, encoding=reply.headers.get("content-encoding", ""))

        async def end() -> None:
            self.metrics.count_usage(await passing.end(managed.lists, managed.name))

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

    def _log_line(self, managed: Managed, began: float, status: int) -> None:
        """A line for each request, without a word of what it says."""
        told: Json = dict(managed.told)
        told |= {"status": status, "format": managed.request.endpoint.format, "model": managed.request.model}
        told["milliseconds"] = round((time.monotonic() - began) * 1000)
        _log.info("%s", jsonio.dumps(told).decode())


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


def _model(body: Any) -> str | None:
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else None


async def _while_client_waits(request: Request, send: Callable[[], Awaitable[httpx2.Response]]) -> httpx2.Response:
    """Sends a request, and gives it up when its client leaves. Raises ReadError then: nobody hears of it."""
    found: list[httpx2.Response | httpx2.HTTPError] = []
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        try:
            found.append(await send())
        except httpx2.HTTPError as error:
            found.append(error)
        group.cancel_scope.cancel()
    first = found[0] if found else httpx2.ReadError("the client has left")
    if isinstance(first, httpx2.HTTPError):
        raise first
    return first
