"""Sends requests to upstreams, for as long as their clients wait."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import anyio
import httpx2
from starlette.requests import Request
from starlette.responses import Response

from clew.config import GatewayConfig
from clew.gateway.failures import LOGGER, failure_response
from clew.gateway.headers import request_headers
from clew.gateway.upstreams import Upstream

T = TypeVar("T")
_log = logging.getLogger(LOGGER)
#: Connections that are kept to upstreams, and made at the same time.
_CONNECTIONS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)


class Sender:
    """The connections to all upstreams."""

    def __init__(self, config: GatewayConfig) -> None:
        wait = httpx2.Timeout(config.silent_seconds, connect=config.connect_seconds)
        self._client = httpx2.AsyncClient(timeout=wait, limits=_CONNECTIONS, follow_redirects=False, trust_env=False)

    async def close(self) -> None:
        """Closes all connections."""
        await self._client.aclose()

    async def send(
        self, request: Request, upstream: Upstream, content: bytes, *, watches: bool = True, **how: Any
    ) -> httpx2.Response:
        """Sends content in place of a client's, with the client's headers; ``how`` is as these are taken over. It
        ``watches`` whether the client has left, unless somebody else does. Raises HTTPError where no reply begins.
        """
        headers = request_headers(request.headers.raw, upstream, length=len(content), **how)
        path = request.scope.get("raw_path", b"").decode("latin-1") or request.url.path
        url = upstream.address(path, request.url.query)
        built = self._client.build_request(request.method, url, content=content)
        built.headers = httpx2.Headers([(b"host", built.headers["host"].encode()), *headers])
        send = partial(self._client.send, built, stream=True)
        return await while_client_waits(request, send) if watches else await send()


def unreachable(upstream: Upstream, format: str, error: Exception) -> Response:
    """Returns what a client is told of an upstream that does not answer."""
    status = 504 if isinstance(error, httpx2.TimeoutException) else 502
    _log.warning("the upstream %s does not answer: %s", upstream.name, type(error).__name__)
    return failure_response(format, f"the upstream {upstream.name} does not answer: {type(error).__name__}", status)


async def while_client_waits(request: Request, work: Callable[[], Awaitable[T]]) -> T:
    """Does work for a client, and gives it up when the client leaves. Raises ReadError then: nobody hears of it."""
    found: list[T] = []
    failed: list[Exception] = []
    async with anyio.create_task_group() as group:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        try:
            found.append(await work())
        except Exception as error:  # raised outside the group, which would put others around it
            failed.append(error)
        group.cancel_scope.cancel()
    if found:
        return found[0]
    raise failed[0] if failed else httpx2.ReadError("the client has left")
