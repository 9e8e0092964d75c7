"""Serves the application on an address until it is interrupted."""

from __future__ import annotations

import gc
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import anyio
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.gateway.failures import LOGGER
from clew.gateway.upstreams import upstreams_of
from clew.server.access_tokens import AccessTokens
from clew.server.application import make_application
from clew.server.guard import GATEWAY_PATHS, GuardRules, is_loopback
from clew.storage.connections import limit_memory

#: How long what is no reply of a model may take to end after an interrupt: a page listens for as long as it is open.
_GRACE_SECONDS = 5
_POLL_SECONDS = 0.1
#: How long a connection is kept that nobody uses. Clients keep theirs for some seconds: who closes first loses no call.
_IDLE_SECONDS = 75
#: What the store keeps in memory; the system has its file in memory as well.
_STORE_BYTES = 16 << 20
#: Objects after which garbage is looked for, among the new ones, those of some requests, and all. A body of 200 KB is
#: thousands of objects: by Python's own numbers some request waits 20 to 60 ms for a look at everything.
_GARBAGE = (10_000, 20, 100)


def serve(
    engine: Engine,
    *,
    host: str,
    port: int,
    names: tuple[str, ...] = (),
    upstreams: tuple[str, ...] = (),
    announce: Callable[[str], object],
) -> None:
    """Answers on an address. ``announce`` hears the address once it can be called. ``upstreams`` come before those of
    the settings, each as API=URL.

    Raises UsageError if an upstream is none, the address cannot be taken, or it can be reached from elsewhere while
    nobody has a token.
    """
    if not is_loopback(host) and not AccessTokens(engine.store, engine.services.clock).all():
        raise UsageError(f"{host} can be reached from elsewhere, but nobody has a token", about="token")
    known = upstreams_of(engine.config.gateway, upstreams)
    set_up_logs()
    with listen(host, port) as listener:
        rules = GuardRules(host=host, port=listener.getsockname()[1], names=names)
        replies = OpenReplies(make_application(engine, rules, known))
        config = uvicorn.Config(
            replies,
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            timeout_keep_alive=_IDLE_SECONDS,
        )
        limit_memory(_STORE_BYTES)
        gc.freeze()  # what is loaded stays: whoever looks for garbage later need not look there
        gc.set_threshold(*_GARBAGE)
        announce(f"http://{f'[{host}]' if ':' in host else host}:{rules.port}")
        with suppress(KeyboardInterrupt):  # this is how it ends
            GracefulServer(config, replies, seconds=engine.config.gateway.stop_seconds).run(sockets=[listener])


class OpenReplies:
    """The application, and how many replies of models are on their way through it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self.count = app, 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, and counts it until its reply has ended."""
        is_reply = scope["type"] == "http" and scope["path"].startswith(GATEWAY_PATHS)
        self.count += is_reply
        try:
            await self._app(scope, receive, send)
        finally:
            self.count -= is_reply


class GracefulServer(uvicorn.Server):
    """A server that lets replies of models end before it does, for so many seconds; a second signal ends it at once."""

    def __init__(self, config: uvicorn.Config, replies: OpenReplies, *, seconds: float) -> None:
        super().__init__(config)
        self._replies, self._seconds = replies, seconds

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Takes a signal in."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Takes no more requests, and ends when the replies have."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        with anyio.move_on_after(self._seconds):
            while self._replies.count and not self.force_exit:
                await anyio.sleep(_POLL_SECONDS)
        await super().shutdown(sockets)


def set_up_logs() -> None:
    """Lines on standard error say who writes them; the gateway's line for each request is JSON, and stays it."""
    logging.basicConfig(level=logging.WARNING, format="clew serve: %(message)s")
    log, handler = logging.getLogger(LOGGER), logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO)


def listen(host: str, port: int) -> socket.socket:
    """Returns a socket that takes connections, on which nothing small waits for the caller to acknowledge what went
    before: a reply would be held back for 40 ms. Raises UsageError where the address cannot be taken.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it
        return listener
    except (OSError, OverflowError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"{host} port {port} cannot be taken: {reason}", about="port") from None
