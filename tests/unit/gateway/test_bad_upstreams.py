"""Upstreams that misbehave: what reaches the client, and what the session keeps."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import httpx2
import pytest

import clew
from clew.engine.engine import Engine
from tests.gateway_server import gateway

BODY = {"model": "claude-sonnet-5", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "hi"}]}
EVENTS = [
    {"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Half a rep"}},
]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with clew.open(":memory:") as engine:
        yield engine


def event(value: dict[str, object]) -> bytes:
    return f"event: {value['type']}\ndata: {json.dumps(value)}\n\n".encode()


def chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


@contextmanager
def raw_upstream(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that reads one request after the other, and answers each with bytes of its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    head = b""
                    while b"\r\n\r\n" not in head and (read := connection.recv(65536)):
                        head += read
                    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                    body = head.partition(b"\r\n\r\n")[2]
                    while len(body) < length and (read := connection.recv(65536)):
                        body += read
                    answer(connection)

        Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)


def ask(engine: Engine, answer: Callable[[socket.socket], None]) -> httpx2.Response:
    with raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        return httpx2.post(f"{url}/v1/messages", json=BODY, headers={"x-clew-session": "s"}, timeout=30)


def said(engine: Engine) -> list[str]:
    return [one.text for one in engine.find("s").messages()]


def test_a_reset_amid_a_stream_is_an_error_and_never_a_normal_end(engine: Engine) -> None:
    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD + b"".join(chunk(event(one)) for one in EVENTS))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    got = ask(engine, answer)
    assert got.content.startswith(b"".join(map(event, EVENTS)))
    last = got.text.strip().rpartition("\n\n")[2]
    assert last.startswith("event: error\n")
    assert "message_stop" not in got.text
    assert said(engine) == ["hi", "Half a rep"]
    assert engine.find("s").messages()[-1].interrupted


def test_events_that_are_none_pass_and_break_nothing(engine: Engine) -> None:
    odd = b": a comment\n\ndata: {not json\n\ndata\n\nevent: x\n\n"

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(odd) + b"0\r\n\r\n")

    assert ask(engine, answer).content == odd
    assert said(engine) == ["hi"]


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/json", b""), ("text/html", b"<h1>Maintenance</h1>"), ("application/json", b'{"type":"mess')],
    ids=["empty", "page", "torn"],
)
def test_a_reply_that_is_none_passes_and_is_not_recorded(engine: Engine, kind: str, body: bytes) -> None:
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    got = ask(engine, lambda connection: connection.sendall(head + body))
    assert (got.status_code, got.content, got.headers["content-type"]) == (200, body, kind)
    assert said(engine) == ["hi"]


def test_an_upstream_that_says_nothing_at_all_is_told_of(engine: Engine) -> None:
    got = ask(engine, lambda connection: None)
    assert (got.status_code, got.json()["error"]["type"]) == (502, "api_error")


def test_events_reach_the_client_before_the_stream_has_ended(engine: Engine) -> None:
    heard = Event()

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(event(EVENTS[0])))
        heard.wait(30)
        connection.sendall(chunk(event({"type": "message_stop"})) + b"0\r\n\r\n")

    with (
        raw_upstream(answer) as upstream,
        gateway(engine, upstream) as url,
        httpx2.stream("POST", f"{url}/v1/messages", json=BODY, timeout=30) as streamed,
    ):
        pieces = streamed.iter_raw()
        assert next(pieces) == event(EVENTS[0])
        heard.set()
        assert b"".join(pieces) == event({"type": "message_stop"})


def test_a_client_that_leaves_ends_the_call_upstream(engine: Engine) -> None:
    gone = Event()

    def answer(connection: socket.socket) -> None:
        connection.sendall(HEAD + chunk(event(EVENTS[0])) + chunk(event(EVENTS[1])) + chunk(event(EVENTS[2])))
        connection.settimeout(30)
        if connection.recv(1) == b"":
            gone.set()

    with raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        with httpx2.stream(
            "POST", f"{url}/v1/messages", json=BODY, headers={"x-clew-session": "s"}, timeout=30
        ) as streamed:
            next(streamed.iter_raw())
        assert gone.wait(30)
    assert said(engine) == ["hi", "Half a rep"]


def test_a_body_that_is_too_large_is_refused() -> None:
    with (
        clew.open(":memory:", settings={"gateway.max_body_bytes": 100}) as small,
        gateway(small, "http://127.0.0.1:9") as url,
    ):
        got = httpx2.post(f"{url}/v1/messages", json=BODY | {"pad": "x" * 200})
    assert (got.status_code, got.json()["error"]["type"]) == (413, "request_too_large")


def test_a_client_that_leaves_before_a_reply_ends_the_call_too(engine: Engine) -> None:
    asked, gone = Event(), Event()

    def answer(connection: socket.socket) -> None:
        asked.set()
        connection.settimeout(30)
        if connection.recv(1) == b"":
            gone.set()

    with raw_upstream(answer) as upstream, gateway(engine, upstream) as url:
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as client:
            body = json.dumps(BODY).encode()
            head = f"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n\r\n".encode()
            client.sendall(head + body)
            assert asked.wait(30)
        assert gone.wait(30)
