"""Tools on critical items: words that every prompt states."""

from __future__ import annotations

from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from clew.domain import CriticalItem
from clew.engine.session import Session
from clew.mcp_server import answers
from clew.mcp_server.answers import result
from clew.mcp_server.arguments import ADDS, READS, Cursor, SessionName, ensure_short
from clew.mcp_server.pages import make_cursor, page, read_cursor
from clew.mcp_server.workspace import Workspace

#: Every prompt states each item, so none may be long.
_MOST_CHARS, _MOST_REASON_CHARS = 4_000, 1_000


def add_critical_tools(server: MCPServer, workspace: Workspace) -> None:
    """Adds mark_critical and get_critical_context."""

    @server.tool(title="Mark as critical", annotations=ADDS)
    async def mark_critical(
        content: Annotated[str, Field(description="The decision, requirement or rule itself, in its own words.")],
        reason: Annotated[str, Field(description="Why it matters.")] = "",
        type: Annotated[
            Literal["decision", "requirement", "instruction", "constraint", "preference", "custom"],
            Field(description="What it is."),
        ] = "custom",
        session: SessionName = None,
    ) -> Annotated[CallToolResult, answers.MarkedCritical]:
        """Mark words as critical: they are stated in every later prompt and never shortened."""

        def work(session: Session) -> answers.MarkedCritical:
            instead = "mark the rule itself, and keep the rest in a file"
            ensure_short(content, name="content", most=_MOST_CHARS, instead=instead)
            ensure_short(reason, name="reason", most=_MOST_REASON_CHARS, instead="say it in a sentence")
            item = session.pin(content, kind=type, reason=reason, by="assistant")
            return answers.MarkedCritical(session=session.id, marked=_item(item))

        return result(await workspace.on_session(session, work))

    @server.tool(title="Critical context", annotations=READS)
    async def get_critical_context(
        type: Annotated[str | None, Field(description="Only items of this kind.")] = None,
        session: SessionName = None,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, answers.CriticalContext]:
        """List what must never be forgotten: decisions, requirements, instructions, constraints, preferences."""

        def work(session: Session) -> answers.CriticalContext:
            items = [_item(item) for item in session.pins(type or None)]
            at = int(read_cursor(cursor).get("at", 0))
            shown = page(items, at, lambda one: session.reader.count(one.model_dump_json()))
            more = make_cursor({"at": shown.next}) if shown.next else None
            return answers.CriticalContext(session=session.id, items=shown.items, next_cursor=more)

        return result(await workspace.on_session(session, work))


def _item(item: CriticalItem) -> answers.CriticalItem:
    return answers.CriticalItem(
        id=item.id,
        type=item.kind,
        content=item.text,
        reason=item.reason,
        source=item.source,
        by=item.by,
        scope=item.scope,
        created=item.created,
    )
