"""`clew serve` as a program: the official client over HTTP in both eras, its guards, and tokens."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

from mcp import Client
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
    assert [one["messages"] for one in clew_program("sessions", "--json").json["sessions"]] == [376]


def test_from_elsewhere_it_wants_a_token(clew_program: Program) -> None:
    refused = clew_program("serve", "--host", "0.0.0.0", "--port", "0")
    assert (refused.code, "clew token make NAME" in refused.err) == (2, True)
    made = clew_program("token", "make", "laptop", "--json").json
    plain = clew_program("token", "make", "phone", "--user", "ben").out.strip()
    assert [one["name"] for one in clew_program("token", "list", "--json").json["tokens"]] == ["laptop", "phone"]

    async def sessions(address: str, secret: str) -> str:
        headers = {"authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as client:
                return str((await client.read_resource("clew://sessions")).contents[0])

    with serving(clew_program, "--host", "0.0.0.0", "--sample") as address:
        address = address.replace("0.0.0.0", "127.0.0.1")
        assert httpx2.post(f"{address}/mcp").status_code == 401
        assert "harbor" in anyio.run(sessions, address, made["token"])
        assert "harbor" not in anyio.run(sessions, address, plain)
        assert clew_program("token", "revoke", made["id"]).code == 0
        answer = httpx2.post(f"{address}/mcp", headers={"authorization": f"Bearer {made['token']}"})
        assert answer.status_code == 401


@pytest.mark.parametrize("options", [("--port", "99999"), ("--host", "no.such.host.invalid"), ("--port", "-1")])
def test_an_address_that_cannot_be_taken_is_one_clear_line(clew_program: Program, options: tuple[str, ...]) -> None:
    clew_program("token", "make", "laptop")
    done = clew_program("serve", *options)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "choose another with --port" in done.err
