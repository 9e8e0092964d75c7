"""The gateway: takes a client's request, sends it on as it came or with a pack in place of its messages, and passes the
reply back while it records it.
"""

from __future__ import annotations

import time
from typing import Any

import anyio
import anyio.to_thread
import httpx2
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from clew.adapters.requests import ENDPOINTS, Endpoint
from clew.codecs import jsonio
from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.gateway.bodies import BodyRefused, decompress, read_body
from clew.gateway.failures import failure_response
from clew.gateway.headers import response_headers
from clew.gateway.instant_summary import summary_events, summary_reply
from clew.gateway.managed_requests import ManagedRequests
from clew.gateway.metrics import Metrics
from clew.gateway.passed_response import PassedResponse, pieces_of
from clew.gateway.sender import Sender, unreachable
from clew.gateway.session_names import assistant_of
from clew.gateway.sessions import Caller, RequestSessions
from clew.gateway.upstreams import ANTHROPIC, OPENAI, Upstream, Upstreams, api_of_caller
from clew.hooks.switch import is_paused
from clew.request_user import request_user

#: The header by which a program names the user whose conversation it is.
_USER = "x-clew-user"
_UNKNOWN_ENCODING = 415


class Gateway:
    """Everything that answers on the paths of the providers' APIs."""

    def __init__(self, engine: Engine, upstreams: Upstreams) -> None:
        self._upstreams, self._config, self._user = upstreams, engine.config.gateway, engine.user
        self.metrics = Metrics()
        self._sender, self._sessions = Sender(self._config), RequestSessions(engine)
        self._managed = ManagedRequests(engine.config, self._sender, self._sessions, self.metrics)

    async def close(self) -> None:
        """Closes all connections."""
        await self._sender.close()

    async def converse(self, request: Request, format: str) -> Response:
        """Answers a request of a conversation, in the format of its API."""
        endpoint = next(one for one in ENDPOINTS if one.format == format)
        api = ANTHROPIC if format == "anthropic" else OPENAI
        is_off = is_paused()
        try:
            sent = await read_body(request.stream(), self._config.max_body_bytes)
            body = await anyio.to_thread.run_sync(self._read, sent, request.headers.get("content-encoding", ""))
        except BodyRefused as error:
            return failure_response(format, str(error), error.status)
        if not is_off and (summary := await self._instant_summary(request, endpoint, body)) is not None:
            return summary
        try:
            upstream = self._upstreams.find(api, _model(body))
        except UsageError as error:
            return failure_response(format, str(error), 404)
        caller = self._caller(request)
        find = self._sessions.find
        managed = None if is_off else await anyio.to_thread.run_sync(find, caller, endpoint, body, sent)
        if managed and (answer := await self._managed.answer(request, upstream, managed)):
            return answer
        valid = await anyio.to_thread.run_sync(self._sessions.own_list, caller, endpoint, body, sent)
        return await self._pass_on(request, upstream, valid, format, is_rewritten=valid is not sent)

    async def forward(self, request: Request, api: str) -> Response:
        """Passes a request on as it is, to the upstream that has the model of its path or body."""
        try:
            sent = await read_body(request.stream(), self._config.max_body_bytes)
            body = self._read(sent, request.headers.get("content-encoding", ""))
            upstream = self._upstreams.find(api, request.path_params.get("model") or (_model(body) if sent else ""))
        except BodyRefused as error:
            return failure_response(api, str(error), error.status)
        except UsageError as error:
            return failure_response(api, str(error), 404)
        return await self._pass_on(request, upstream, sent, api)

    async def forward_by_caller(self, request: Request) -> Response:
        """Passes a request on as it is, to the upstream whose API its headers speak."""
        return await self.forward(request, api_of_caller(request.headers, request.url.path))

    async def refuse(self, request: Request) -> Response:
        """Answers a path that no upstream is asked for."""
        what = f"{request.method} {request.url.path} is not answered here; gateway.paths names further paths that pass"
        return failure_response(api_of_caller(request.headers, request.url.path), what, 404)

    def _caller(self, request: Request) -> Caller:
        """Who works with an assistant here is the person at this machine; whoever else calls names the user, or
        nobody.
        """
        user = (request_user(request.scope) or request.headers.get(_USER, "")).strip()
        user = user or (self._user if assistant_of(request.headers) else "")
        return Caller(request.headers, user, is_person=bool(user))

    def _read(self, sent: bytes, encoding: str) -> Any:
        """What a body says; None where it is no JSON: what the provider says of that is the client's to hear. While
        Clew is paused, encodings that are not known here pass too. Raises BodyRefused.
        """
        try:
            return jsonio.loads(decompress(sent, encoding, self._config.max_body_bytes))
        except BodyRefused as error:
            if error.status == _UNKNOWN_ENCODING and is_paused():
                return None
            raise
        except (UsageError, ValueError):
            return None

    async def _instant_summary(self, request: Request, endpoint: Endpoint, body: Any) -> Response | None:
        """The answer to an assistant's own request for a summary, where it is made here."""
        if not self._config.instant_summaries:
            return None
        text = await anyio.to_thread.run_sync(self._sessions.summary, self._caller(request), endpoint, body)
        reply = summary_reply(endpoint.format, text, _model(body) or "", number=time.time_ns()) if text else None
        if reply is None:
            return None
        self.metrics.requests.labels(endpoint.format, "instant summary", 200).inc()
        if body.get("stream"):
            return Response(summary_events(endpoint.format, reply), media_type="text/event-stream")
        return JSONResponse(reply)

    async def _pass_on(
        self, request: Request, upstream: Upstream, sent: bytes, format: str, *, is_rewritten: bool = False
    ) -> Response:
        try:
            reply = await self._sender.send(request, upstream, sent, is_rewritten=is_rewritten)
        except httpx2.HTTPError as error:
            return unreachable(upstream, format, error)
        self.metrics.requests.labels(format, "passed", reply.status_code).inc()
        return PassedResponse(reply, response_headers(reply.headers.raw), pieces_of(reply))


def _model(body: Any) -> str | None:
    model = body.get("model") if isinstance(body, dict) else None
    return model if isinstance(model, str) else None
