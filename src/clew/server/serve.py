"""Serves the application on an address until it is interrupted."""

from __future__ import annotations

import gc
import logging
import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from clew.engine.engine import Engine
from clew.errors import UsageError
from clew.gateway.failures import LOGGER
from clew.gateway.upstreams import upstreams_of
from clew.server.access_tokens import AccessTokens
from clew.server.application import make_application
from clew.server.guard import GuardRules, is_loopback
from clew.storage.connections import limit_memory

#: How long open streams may take to end after an interrupt.
_GRACE_SECONDS = 30
#: How long a connection is kept that nobody uses. Clients keep theirs for some seconds: who closes first loses no call.
_IDLE_SECONDS = 75
#: What the store keeps in memory; the system has its file in memory as well.
_STORE_BYTES = 16 << 20


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
    _log_requests()
    with listen(host, port) as listener:
        rules = GuardRules(host=host, port=listener.getsockname()[1], names=names)
        config = uvicorn.Config(
            make_application(engine, rules, known),
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            timeout_keep_alive=_IDLE_SECONDS,
        )
        limit_memory(_STORE_BYTES)
        gc.freeze()  # what is loaded stays: whoever looks for garbage later need not look there
        announce(f"http://{f'[{host}]' if ':' in host else host}:{rules.port}")
        with suppress(KeyboardInterrupt):  # this is how it ends
            uvicorn.Server(config).run(sockets=[listener])


def _log_requests() -> None:
    """The gateway's line for each request goes to standard error as it is."""
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
