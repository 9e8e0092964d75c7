"""The application: what answers on which path, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import anyio.to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from clew import __version__
from clew.engine.engine import Engine
from clew.errors import ClewError
from clew.gateway.gateway import Gateway
from clew.gateway.upstreams import ANTHROPIC, Upstreams
from clew.server.access_tokens import AccessTokens
from clew.server.guard import Guard, GuardRules
from clew.server.mcp_door import McpDoor
from clew.server.page_door import PageDoor


def make_application(engine: Engine, rules: GuardRules, upstreams: Upstreams) -> Starlette:
    """Returns the application of an engine: gateway, MCP, the page with its API, and probes, behind
    the guard.
    """
    gateway, mcp = Gateway(engine, upstreams), McpDoor(engine)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        async with mcp.open():
            yield
        await gateway.close()

    async def healthy(_request: Request) -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    async def ready(_request: Request) -> Response:
        return await anyio.to_thread.run_sync(_ready, engine)

    async def metrics(_request: Request) -> Response:
        return Response(gateway.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    tokens = AccessTokens(engine.store, engine.services.clock)
    return Starlette(
        routes=[
            *PageDoor(engine).routes(),
            Route("/healthz", healthy),
            Route("/readyz", ready),
            Route("/metrics", metrics),
            *_gateway_routes(gateway, engine.config.gateway.paths.split()),
            Mount("/", app=mcp),
        ],
        middleware=[Middleware(Guard, rules=rules, find=tokens.find)],
        lifespan=lifespan,
    )


def _gateway_routes(gateway: Gateway, further: list[str]) -> list[Route]:
    """The paths of the providers' APIs, and further ones that pass as they come."""

    def answer(how: Callable[[Request], Awaitable[Response]], path: str, method: str = "POST") -> Route:
        async def endpoint(request: Request) -> Response:
            return await how(request)

        return Route(path, endpoint, methods=[method] if method else ["GET", "POST", "PUT", "PATCH", "DELETE"])

    formats = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai-chat", "/v1/responses": "openai-responses"}
    conversations = [answer(partial(gateway.converse, format=format), path) for path, format in formats.items()]
    passing = [answer(gateway.forward_by_caller, path, "") for path in further]
    return [
        *conversations,
        answer(partial(gateway.forward, api=ANTHROPIC), "/v1/messages/count_tokens"),
        answer(gateway.forward_by_caller, "/v1/models", "GET"),
        answer(gateway.forward_by_caller, "/v1/models/{model}", "GET"),
        *passing,
        answer(gateway.refuse, "/v1/{rest:path}", ""),
    ]


def _ready(engine: Engine) -> Response:
    """Whether the store answers; why not is for the log of whoever runs the server."""
    try:
        engine.infos()
    except ClewError:
        return JSONResponse({"status": "the store cannot be read"}, status_code=503)
    return JSONResponse({"status": "ready"})
