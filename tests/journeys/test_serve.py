"""`clew serve` as a program: the official client over HTTP in both eras, its guards, and tokens."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import clew
from clew.config import Config
from clew.domain.sessions import DEFAULT_USER
from clew.server.access_tokens import AccessTokens
from tests.journeys.program import Program


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
