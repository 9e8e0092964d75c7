"""A real HTTP server on this machine that answers as a provider would, from a script: JSON, streams, errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

#: What a script answers: a JSON object, a list of stream events, or (status, JSON object).
Answer = dict[str, Any] | list[dict[str, Any]] | tuple[int, dict[str, Any]]
Script = Callable[[str, dict[str, Any]], Answer]


@dataclass
class ProviderServer:
    """``requests`` are what arrived, ``bodies``, ``headers`` and ``paths`` the same as it came; ``script`` answers."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def provider(script: Script) -> Iterator[ProviderServer]:
    """Serves until the block ends."""
    served = ProviderServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            served.bodies.append(self.rfile.read(int(self.headers["content-length"])))
            served.paths.append(self.path)
            served.headers.append({name.lower(): value for name, value in self.headers.items()})
            try:
                body = json.loads(served.bodies[-1])
            except ValueError:
                body = {}
            served.requests.append(body)
            answer = served.script(self.path.partition("?")[0], body)
            status, answer = answer if isinstance(answer, tuple) else (200, answer)
            data, kind = _encoded(answer)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.send_header("x-request-id", f"req_{len(served.requests)}")
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def _encoded(answer: dict[str, Any] | list[dict[str, Any]]) -> tuple[bytes, str]:
    if isinstance(answer, dict):
        return json.dumps(answer).encode(), "application/json"
    names = [f"event: {event['type']}\n" if "type" in event else "" for event in answer]
    lines = [f"{name}data: {json.dumps(event)}\n\n" for name, event in zip(names, answer, strict=True)]
    return "".join([*lines, "" if any(names) else "data: [DONE]\n\n"]).encode(), "text/event-stream"
