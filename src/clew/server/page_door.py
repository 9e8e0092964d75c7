"""The page and its API, loaded when somebody first looks: a gateway is ready sooner without them."""

from __future__ import annotations

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from clew.engine.engine import Engine

_PATHS = ("/", "/page/{rest:path}", "/api/{rest:path}")


class PageDoor:
    """Answers what the page and programs ask of an engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._app: Starlette | None = None
        self._making = anyio.Lock()

    def routes(self) -> list[Route]:
        """Returns the routes that lead here."""
        return [Route(path, self) for path in _PATHS]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request; the first one waits until everything is loaded."""
        async with self._making:
            if self._app is None:
                self._app = await anyio.to_thread.run_sync(_make, self._engine)
        await self._app(dict(scope, path_params={}), receive, send)


def _make(engine: Engine) -> Starlette:
    from clew.dashboard.routes import page_routes

    return Starlette(routes=page_routes(engine))
