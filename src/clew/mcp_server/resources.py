"""Resources: the list of sessions, and of each its story, critical items and segments."""

from __future__ import annotations

from collections.abc import Callable

import orjson
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError

from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.errors import NotFound
from clew.mcp_server.answers import DATA_NOTE
from clew.mcp_server.context_items import items_of
from clew.mcp_server.pages import page, pieces
from clew.mcp_server.workspace import Workspace
from clew.text.secrets import mask, mask_strings

_MOST_SESSIONS = 40
_JSON, _TEXT = "application/json", "text/plain"


def add_resources(server: MCPServer, workspace: Workspace) -> None:
    """Adds clew://sessions and, of a session, story, pins and segments."""

    @server.resource("clew://sessions", name="sessions", title="Sessions, newest first", mime_type=_JSON)
    async def sessions() -> str:
        """The newest sessions of this user."""
        return await workspace.on_engine(_sessions)

    async def read_session(id: str, render: Callable[[Session], str]) -> str:
        try:
            return await workspace.on_session(id, render)
        except ToolError as error:
            if isinstance(error.__cause__, NotFound):
                raise ResourceNotFoundError(str(error)) from error
            raise ResourceError(str(error)) from error

    @server.resource("clew://session/{id}/story", name="story", title="Story of a session", mime_type=_TEXT)
    async def story(id: str) -> str:
        """Where a session stands."""
        return await read_session(id, _story)

    @server.resource("clew://session/{id}/pins", name="pins", title="Critical items of a session", mime_type=_JSON)
    async def pins(id: str) -> str:
        """What must never be forgotten."""
        return await read_session(id, _pins)

    @server.resource(
        "clew://session/{id}/segment/{segment}", name="segment", title="A segment, word for word", mime_type=_JSON
    )
    async def segment(id: str, segment: str) -> str:
        """What was said and done in a segment, each with its speaker."""
        return await read_session(id, lambda found: _segment(found, segment))


def _sessions(engine: Engine) -> str:
    rows = [
        {"id": info.key.id, "title": info.title, "client": info.client, "cwd": info.cwd, "messages": info.messages}
        | {"updated": info.updated}
        for info in engine.infos()[:_MOST_SESSIONS]
    ]
    return _json({"sessions": mask_strings(rows)})


def _pins(session: Session) -> str:
    found = [{"id": item.id, "type": item.kind, "content": item.text, "by": item.by} for item in session.pins()]
    shown = page(found, 0, lambda one: session.reader.count(_json(one)))
    return _json({"session": session.id, "items": shown.items, "more": len(found) - len(shown.items)})


def _segment(session: Session, id: str) -> str:
    items = [item.model_dump(exclude_none=True) for item in items_of(session, id, "full")]
    shown = page(items, 0, lambda one: session.reader.count(_json(one)))
    more = "The tool retrieve_context reads on." if shown.next else ""
    return _json({"session": session.id, "note": DATA_NOTE, "items": shown.items, "more": more})


def _story(session: Session) -> str:
    from clew.packing.story import render_story

    found = list(pieces(render_story(session.story()), session.reader.count))
    shown = page(found, 0, session.reader.count)
    more = "\n[The tool get_story reads on.]" if shown.next else ""
    return mask("".join(shown.items)) + more


def _json(value: object) -> str:
    return orjson.dumps(value).decode()
