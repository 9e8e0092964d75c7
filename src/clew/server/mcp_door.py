"""MCP over HTTP, made when somebody first calls it: its packages take as long to load as all else of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup, TaskStatus
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from clew.engine.engine import Engine

#: Large enough that a tool can say itself what is too long for it.
_MOST_BODY_BYTES = 16 << 20


class McpDoor:
    """Answers calls of MCP on the tools of an engine, for as long as the server is up."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._app: Starlette | None = None
        self._tasks: TaskGroup | None = None
        self._making = anyio.Lock()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Calls are taken until the block ends."""
        async with anyio.create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a call; the first one waits until everything is loaded."""
        async with self._making:
            if self._app is None:
                assert self._tasks
                self._app = await self._tasks.start(self._run)
        await self._app(scope, receive, send)

    async def _run(self, *, task_status: TaskStatus[Starlette]) -> None:
        app = await anyio.to_thread.run_sync(_make, self._engine)
        async with app.router.lifespan_context(app):
            task_status.started(app)
            await anyio.sleep_forever()


def _make(engine: Engine) -> Starlette:
    """Sessions of the protocol are not kept: what a call means is in its arguments. The guard has checked who calls."""
    from mcp.server.transport_security import TransportSecuritySettings

    from clew.mcp_server.server import make_server

    return make_server(engine).streamable_http_app(
        stateless_http=True,
        max_request_body_size=_MOST_BODY_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
