"""A real HTTP server on this machine that behaves, request by request, as it was told to."""

from __future__ import annotations

import json
import select
import socket
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest

from clew.cancellation import Cancel

#: How long a test waits for what must happen before it is called a failure.
PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Seen:
    path: str
    headers: Mapping[str, str]
    body: Any


Behaviour = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class FaultyServer:
    """``requests`` has what was asked; ``arrived`` and ``left`` are set as a client comes and goes."""

    url: str = ""
    script: list[Behaviour] = field(default_factory=list)
    requests: list[Seen] = field(default_factory=list)
    arrived: Event = field(default_factory=Event)
    left: Event = field(default_factory=Event)

    def then(self, *behaviours: Behaviour) -> FaultyServer:
        self.script += behaviours
        return self

    def hangs(self, handler: BaseHTTPRequestHandler) -> None:
        """Says nothing until the client goes away."""
        self.arrived.set()
        self._wait_until_left(handler)

    def trickles(self, handler: BaseHTTPRequestHandler) -> None:
        """An answer of spaces, one at a time, that never ends."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.end_headers()
        self._drip(handler)

    def trickles_headers(self, handler: BaseHTTPRequestHandler) -> None:
        """A header that never ends."""
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nx-slow: ")
        self._drip(handler)

    def stops_half_way(self, handler: BaseHTTPRequestHandler) -> None:
        """Half an answer, and then nothing until the client goes away."""
        handler.send_response(200)
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"half":')
        handler.wfile.flush()
        self.hangs(handler)

    def _drip(self, handler: BaseHTTPRequestHandler) -> None:
        self.arrived.set()
        with suppress(OSError):
            while not select.select([handler.connection], [], [], 0.002)[0]:
                handler.wfile.write(b" ")
                handler.wfile.flush()
        self.left.set()

    def _wait_until_left(self, handler: BaseHTTPRequestHandler) -> None:
        handler.connection.settimeout(PATIENCE_SECONDS)
        with suppress(ConnectionError):
            assert handler.connection.recv(1) == b""
        self.left.set()


def answers(status: int, body: Any, **headers: str) -> Behaviour:
    """A whole answer: JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def behave(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-length": str(len(data)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        with suppress(OSError):  # a client that has read enough goes away
            handler.wfile.write(data)

    return behave


def resets(handler: BaseHTTPRequestHandler) -> None:
    """The connection breaks without a word."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """The connection is closed politely, without an answer."""
    handler.close_connection = True


@contextmanager
def serving() -> Iterator[FaultyServer]:
    faulty = FaultyServer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            faulty.requests.append(Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
            faulty.script.pop(0)(self)

        def finish(self) -> None:
            with suppress(OSError, ValueError):  # the behaviour has closed it
                super().finish()

        def log_message(self, *_args: Any) -> None: ...

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    faulty.url = f"http://127.0.0.1:{listening.server_address[1]}"
    thread = Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield faulty
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


@dataclass
class HandRequestClock:
    """Time that passes only while somebody waits; ``waits`` has how long that was, each time."""

    time: float = 1_800_000_000.0
    waits: list[float] = field(default_factory=list)
    cancels: bool = False

    def now(self) -> float:
        return self.time

    def wait(self, cancel: Cancel, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds
        if self.cancels:
            cancel.cancel()


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with serving() as faulty:
        yield faulty


@pytest.fixture
def elsewhere() -> Iterator[FaultyServer]:
    with serving() as faulty:
        yield faulty


@pytest.fixture
def hand() -> HandRequestClock:
    return HandRequestClock()
