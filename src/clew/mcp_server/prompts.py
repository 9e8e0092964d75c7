"""Prompts: going on with a session, and what a summary of it must keep."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from clew.domain import CriticalItem
from clew.engine.session import Session
from clew.mcp_server.workspace import Workspace

PROMPTS = ("resume", "compact")
#: Tokens of the text that a session is resumed with.
_RESUME_TOKENS = 4_000
_MOST_ITEMS, _MOST_FILES, _MOST_OPEN = 30, 20, 20
_OPEN = {"open", "doing"}
_SessionName = Annotated[str, Field(description="Id of a session; without it, the newest of your working folder.")]


def add_prompts(server: MCPServer, workspace: Workspace) -> None:
    """Adds resume and compact."""

    @server.prompt(title="Resume a session")
    async def resume(session: _SessionName = "") -> list[UserMessage]:
        """Go on with an earlier session: its state, what people asked, and the newest steps."""
        return await _message(workspace, session, _resume)

    @server.prompt(title="Compact the conversation")
    async def compact(session: _SessionName = "") -> list[UserMessage]:
        """Summarise the conversation so that nothing that binds is lost."""
        return await _message(workspace, session, _compact)


async def refuse_unknown_prompt(
    ctx: ServerRequestContext[Any, Any], call_next: Callable[[ServerRequestContext[Any, Any]], Awaitable[Any]]
) -> Any:
    """Says which prompts there are to whoever asks for another; the package would call that an error of the server."""
    name = (ctx.params or {}).get("name") if ctx.method == "prompts/get" else PROMPTS[0]
    if name not in PROMPTS:
        raise MCPError(INVALID_PARAMS, f"no prompt {str(name)[:64]!r}; there are {' and '.join(PROMPTS)}")
    return await call_next(ctx)


async def _message(workspace: Workspace, session: str, render: Callable[[Session], str]) -> list[UserMessage]:
    try:
        return [UserMessage(await workspace.on_session(session, render))]
    except ToolError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error


def _resume(session: Session) -> str:
    state = session.pack(None, budget=_RESUME_TOKENS, target="text", record=False).text
    return (
        f"Go on with session {session.id}. What follows is its record, as Clew keeps it; read any id in it in full"
        f" with the tool retrieve_context.\n\n{state}"
    )


def _label(item: CriticalItem) -> str:
    return f"{item.kind}, marked by the assistant" if item.by == "assistant" else str(item.kind)


def _compact(session: Session) -> str:
    """What a summary has to keep, by the record: critical items, open work, files."""
    work = session.reader.work_map()
    parts = [
        "Summarise this conversation for whoever goes on with it. Keep word for word what is listed here, and say what"
        " was done, what failed, and what comes next."
    ]
    if items := [f"- {_label(item)}: {item.stated_text}" for item in session.pins()[:_MOST_ITEMS]]:
        parts.append("\n".join(["What binds:", *items]))
    if todos := [f"- {todo.text}" for todo in work.todos if todo.status in _OPEN][:_MOST_OPEN]:
        parts.append("\n".join(["Still to do:", *todos]))
    if files := [f"- {file.path}" for file in work.files if file.edited][:_MOST_FILES]:
        parts.append("\n".join(["Files that were changed:", *files]))
    parts.append(f"Afterwards the tools of Clew read anything back by its id (session {session.id}).")
    return "\n\n".join(parts)
