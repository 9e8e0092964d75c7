"""Calls of a server by the official client, in both eras of the protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import anyio
from mcp import Client, MCPError
from mcp.types import CallToolResult

from clew.engine.engine import Engine
from clew.mcp_server.server import make_server
from tests.assistant_files import WORK

ERAS = ("legacy", "2026-07-28")

T = TypeVar("T")


def talk(engine: Engine, job: Callable[[Client], Awaitable[T]], *, mode: str = "legacy", **options: Any) -> T:
    """What a job does with a client of the engine's server, which works in ``WORK``."""

    async def run() -> T | MCPError:
        async with Client(make_server(engine, folder=Path(WORK)), mode=mode, **options) as client:
            try:
                return await job(client)
            except MCPError as error:  # raised outside: a group of tasks would wrap it
                return error

    done = anyio.run(run)
    if isinstance(done, MCPError):
        raise done
    return done


def ask(engine: Engine, tool: str, *, mode: str = "legacy", meta: Any = None, **arguments: Any) -> CallToolResult:
    """The result of one call of a tool."""
    return talk(engine, lambda client: client.call_tool(tool, arguments, meta=meta), mode=mode)


def answer(engine: Engine, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; it must not be an error."""
    result = ask(engine, tool, **arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def problem(engine: Engine, tool: str, **arguments: Any) -> str:
    """What a tool says is wrong."""
    result = ask(engine, tool, **arguments)
    assert result.is_error
    assert result.structured_content is None
    return str(result.content[0].text)  # type: ignore[union-attr]
