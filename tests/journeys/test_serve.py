"""`clew serve` as a program: the official client over HTTP in both eras, its guards, and tokens."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import clew
from clew.config import Config
from clew.domain.sessions import DEFAULT_USER
from clew.server.access_tokens import AccessTokens
from tests.journeys.program import Program
from tests.provider_replies import Says, anthropic_events
from tests.unit.gateway.test_bad_upstreams import raw_upstream


@contextmanager
def serving(program: Program, *options: str) -> Iterator[str]:
    """The address at which the program answers; an interrupt must end it with 0."""
    with program.start("serve", "--port", "0", *options) as process:
        assert process.stdout
        found = re.search(r"http://[^ ]+", process.stdout.readline().decode())
        try:
            assert found
            yield found[0]
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait() == 0


async def told(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content or {}


def test_both_eras_and_two_clients_on_one_store(clew_program: Program) -> None:
    async def run(address: str) -> None:
        async with (
            Client(f"{address}/mcp", mode="legacy") as one,
            Client(f"{address}/mcp", mode="2026-07-28") as two,
        ):
            assert (one.protocol_version, two.protocol_version) == ("2025-11-25", "2026-07-28")
            assert (await told(one, "get_context_health"))["health"] == "good"
            marked = (await told(one, "mark_critical", content="Use JWT", type="decision"))["marked"]
            assert marked in (await told(two, "get_critical_context", type="decision"))["items"]
            assert (await told(two, "search_context", query="arrival"))["results"]

    with serving(clew_program, "--sample") as address:
        assert httpx2.get(f"{address}/readyz").json() == {"status": "ready"}
        anyio.run(run, address)
    with clew.open(clew_program.store, config=Config()) as engine:
        assert [info.messages for info in engine.infos()] == [376]


def test_the_bundled_session_is_loaded_into_an_empty_store_only(clew_program: Program) -> None:
    with clew.open(clew_program.store, config=Config()) as engine:
        engine.session("mine").record([clew.user("Hello")])
    with clew_program.start("serve", "--port", "0", "--sample") as process:
        assert process.stderr
        assert process.stdout
        assert b"is not loaded: the store has sessions of its own" in process.stderr.readline()
        address = process.stdout.readline().decode().split()[3]
        assert "<title>Clew</title>" in httpx2.get(address).text
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
    with clew.open(clew_program.store, config=Config()) as engine:
        assert [info.key.id for info in engine.infos()] == ["mine"]


def test_from_elsewhere_it_wants_a_token(clew_program: Program) -> None:
    with clew.open(clew_program.store, config=Config()) as engine:
        tokens = AccessTokens(engine.store, engine.services.clock)
        made, mine = tokens.make("laptop", user=DEFAULT_USER)
        theirs = tokens.make("phone", user="ben")[1]

    async def sessions(address: str, secret: str) -> str:
        headers = {"authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as client:
                return str((await client.read_resource("clew://sessions")).contents[0])

    with serving(clew_program, "--host", "0.0.0.0", "--sample") as address:
        address = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.post(f"{address}/mcp").status_code == 401
        assert "harbor" in anyio.run(sessions, address, mine)
        assert "harbor" not in anyio.run(sessions, address, theirs)
        with clew.open(clew_program.store, config=Config()) as engine:
            AccessTokens(engine.store, engine.services.clock).revoke(made.id)
        assert httpx2.post(f"{address}/mcp", headers={"authorization": f"Bearer {mine}"}).status_code == 401


def stream_piece(event: dict[str, Any]) -> bytes:
    data = b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode())
    return b"%x\r\n%s\r\n" % (len(data), data)


@contextmanager
def streaming(program: Program, go_on: Event) -> Iterator[tuple[Any, Iterator[bytes], str]]:
    """A server through which a reply streams that waits in its middle; the process, the rest of the reply, and the
    address."""
    first, *rest = (stream_piece(one) for one in anthropic_events(Says("Done."), 1))

    def answer(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(first)
        go_on.wait(60)
        connection.sendall(b"".join(rest) + b"0\r\n\r\n")

    body = {
        "model": "claude-sonnet-5",
        "max_tokens": 9,
        "stream": True,
        "messages": [{"role": "user", "content": "hi"}],
    }
    with (
        raw_upstream(answer) as upstream,
        program.start("serve", "--port", "0", "--upstream", f"anthropic={upstream}") as process,
    ):
        assert process.stdout
        found = re.search(r"http://[^ ]+", process.stdout.readline().decode())
        assert found
        headers = {"x-clew-session": "s"}
        with httpx2.stream("POST", f"{found[0]}/v1/messages", json=body, headers=headers, timeout=60) as got:
            pieces = got.iter_bytes()
            assert b"message_start" in next(pieces)
            yield process, pieces, found[0]
        process.wait()


def wait_until_refused(address: str) -> None:
    """Until nothing new is taken."""
    place = ("127.0.0.1", int(address.rpartition(":")[2]))
    while True:
        try:
            socket.create_connection(place, timeout=60).close()
        except ConnectionError:
            return


def test_a_reply_ends_before_the_server_does(clew_program: Program) -> None:
    go_on = Event()
    with streaming(clew_program, go_on) as (process, pieces, address):
        process.send_signal(signal.SIGTERM)
        wait_until_refused(address)
        go_on.set()
        assert b"message_stop" in b"".join(pieces)
    with clew.open(clew_program.store, config=Config()) as engine:
        assert [one.text for one in engine.find("s").messages()] == ["hi", "Done."]


def test_a_second_signal_ends_the_server_at_once(clew_program: Program) -> None:
    go_on = Event()
    with streaming(clew_program, go_on) as (process, pieces, address):
        process.send_signal(signal.SIGTERM)
        wait_until_refused(address)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(httpx2.HTTPError):
            list(pieces)
        process.wait()
        go_on.set()
