"""Puts the server together, and serves it over stdio."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS

from clew import __version__
from clew.engine.engine import Engine
from clew.mcp_server.critical_tools import add_critical_tools
from clew.mcp_server.health_tools import add_health_tools
from clew.mcp_server.knowledge_tools import add_knowledge_tools
from clew.mcp_server.prompts import add_prompts, refuse_unknown_prompt
from clew.mcp_server.reading_tools import add_reading_tools
from clew.mcp_server.recording_tools import add_recording_tools
from clew.mcp_server.request import keep_request
from clew.mcp_server.resources import add_resources
from clew.mcp_server.workspace import Workspace

_INSTRUCTIONS = (
    "Clew keeps every word of this conversation, also what your context no longer holds. When something earlier is"
    " missing (a decision, an exact value, an error, a path), search_context finds it and retrieve_context reads it."
    " search_knowledge finds reference text that was registered. mark_critical keeps a rule for good. get_story tells"
    " where the work stands."
)


#: A place in the arguments and what is wrong there, in a message of pydantic.
_WRONG_VALUE = re.compile(r"^(\S+)\n  (.+?) \[type=", re.MULTILINE)
#: Lines on standard error are what clients show of a server that fails.
_LOG_FORMAT = "clew mcp: %(message)s"


async def _refuse_wrong_arguments(
    server: MCPServer,
    ctx: ServerRequestContext[Any, Any],
    call_next: Callable[[ServerRequestContext[Any, Any]], Awaitable[Any]],
) -> Any:
    """Says which arguments a tool takes to whoever gives another, which the package would drop without a word, and to
    whoever leaves one out, of which it would say more than a line.
    """
    params = (ctx.params or {}) if ctx.method == "tools/call" else {}
    name, given = params.get("name"), params.get("arguments") or {}
    tools = await server.list_tools() if params else []
    schema = next((tool.input_schema for tool in tools if tool.name == name), None)
    if schema is not None and isinstance(given, dict):
        known = schema.get("properties", {})
        there = ", ".join(known) or "none"
        if unknown := sorted(given.keys() - known.keys()):
            raise MCPError(INVALID_PARAMS, f"{name} takes no {unknown[0][:64]!r}; it takes {there}")
        if missing := [one for one in schema.get("required", ()) if one not in given]:
            raise MCPError(INVALID_PARAMS, f"{name} needs {missing[0]!r}; it takes {there}")
    answer = await call_next(ctx)
    return _in_one_line(answer, str(name)) if params else answer


def _in_one_line(answer: Any, tool: str) -> Any:
    """An answer that tells the model what pydantic finds wrong with its arguments, without pydantic's own words."""
    content = answer.get("content") if isinstance(answer, dict) and answer.get("isError") else None
    found = _WRONG_VALUE.findall(content[0].get("text", "")) if content else []
    if not found:
        return answer
    faults = "; ".join(f"{place}: {said[:1].lower()}{said[1:]}" for place, said in found)
    return answer | {"content": [{"type": "text", "text": f"{tool}: {faults}"}]}


def make_server(engine: Engine, *, folder: Path | None = None) -> MCPServer:
    """Returns the server of an engine. ``folder`` is the working folder of callers who name none."""
    logging.basicConfig(level=logging.WARNING, format=_LOG_FORMAT)  # before the package sets up its own, in boxes
    server: MCPServer = MCPServer(
        "clew",
        title="Clew",
        instructions=_INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        subscriptions=False,  # the lists of tools, resources and prompts never change
        middleware=[keep_request, refuse_unknown_prompt, lambda *call: _refuse_wrong_arguments(server, *call)],
    )
    workspace = Workspace(engine, folder=folder)
    add_health_tools(server, workspace)
    add_critical_tools(server, workspace)
    add_reading_tools(server, workspace)
    add_knowledge_tools(server, workspace)
    add_recording_tools(server, workspace)
    add_resources(server, workspace)
    add_prompts(server, workspace)
    return server


def serve_stdio(engine: Engine) -> None:
    """Answers on standard input and output until the client closes them."""
    anyio.run(make_server(engine).run_stdio_async)
