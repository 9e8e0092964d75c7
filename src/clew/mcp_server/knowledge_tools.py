"""Tools for registered knowledge, the same in all sessions of a user: found by words and meaning, read by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from clew.domain.ids import ChunkId, parse_id
from clew.engine.engine import Engine
from clew.engine.knowledge.library import KnowledgeResult
from clew.engine.knowledge.module_documents import FILTERS
from clew.errors import NotFound, UsageError
from clew.mcp_server import answers
from clew.mcp_server.answers import result
from clew.mcp_server.arguments import (
    READS,
    CharacterRange,
    Cursor,
    SessionName,
    character_range,
    ensure_few,
    ensure_short,
    whole_number,
)
from clew.mcp_server.context_items import split_item
from clew.mcp_server.pages import make_cursor, page, read_cursor
from clew.mcp_server.workspace import Workspace
from clew.replies.values import Format
from clew.text.secrets import mask
from clew.text.trim import cut_at_word, one_line

_MOST_QUERY_CHARS, _MOST_RESULTS, _RESULTS = 2_000, 50, 10
_EXCERPT_CHARS = 240
#: Modules that are named where nothing matches.
_NAMED = 20


def add_knowledge_tools(server: MCPServer, workspace: Workspace) -> None:
    """Adds search_knowledge."""

    @server.tool(title="Search registered knowledge", annotations=READS)
    async def search_knowledge(
        query: Annotated[str, Field(description="What you want to know: a question, names, topics.")],
        limit: Annotated[float | None, Field(description=f"Most results, up to {_MOST_RESULTS}.")] = None,
        filters: Annotated[
            dict[str, str | list[str]] | None,
            Field(description=f"Values that modules must have, by {', '.join(FILTERS)}; a list means one of them."),
        ] = None,
        session: SessionName = None,  # noqa: ARG001 (every tool takes it; knowledge is the same in all of them)
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, answers.FoundKnowledge]:
        """Find parts of registered knowledge: project docs, rules, APIs, skills. Gives headers with ids; read what you
        need with retrieve_context.
        """

        def work(engine: Engine) -> answers.FoundKnowledge:
            ensure_short(query, name="query", most=_MOST_QUERY_CHARS, instead="take the few words that matter")
            most = whole_number(limit, name="limit", most=_MOST_RESULTS) or _RESULTS
            _ensure_searchable(engine, query)
            return _knowledge_page(
                engine, query, most, filters=filters or {}, start=int(read_cursor(cursor).get("at", 0))
            )

        return result(await workspace.on_engine(work))


def _ensure_searchable(engine: Engine, query: str) -> None:
    if not engine.knowledge.modules():
        raise NotFound(
            "no knowledge is registered here; search_context finds what was said, and the user can register files as"
            " knowledge"
        )
    if not query.strip():
        raise UsageError("query is empty; say what you want to know")


def _knowledge_page(
    engine: Engine, query: str, most: int, *, filters: Mapping[str, Any], start: int
) -> answers.FoundKnowledge:
    results = [_part(engine, one) for one in engine.knowledge.search(query, limit=most, filters=filters)]
    shown = page(results, start if results else 0, lambda one: engine.count(one.model_dump_json()))
    more = make_cursor({"at": shown.next}) if shown.next else None
    return answers.FoundKnowledge(results=shown.items, next_step=_next_step(engine, results), next_cursor=more)


def _part(engine: Engine, result: KnowledgeResult) -> answers.KnowledgePart:
    return answers.KnowledgePart(
        id=result.id,
        module=result.module,
        title=" › ".join(dict.fromkeys((result.name, *result.headings))),
        header=mask(cut_at_word(one_line(result.text), _EXCERPT_CHARS)),
        priority=result.priority,
        source=result.source,
        score=round(result.score, 3),
        tokens=engine.count(result.text),
    )


def _next_step(engine: Engine, results: Sequence[answers.KnowledgePart]) -> str:
    if results:
        whole = ChunkId(results[0].module, 0)
        return f"Read one with retrieve_context, as conversation_ids; {whole} is the whole module of the first."
    named = list(engine.knowledge.modules())
    rest = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return (
        f"Nothing matches. Try other words or fewer filters; there are the modules {', '.join(named[:_NAMED])}{rest}."
    )


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────


def knowledge_place(ids: Sequence[str], cursor: str | None, *, range: CharacterRange) -> dict[str, Any] | None:
    """Returns where to read knowledge if all of these ids name it, or the cursor does: that needs no session."""
    try:
        place = read_cursor(cursor) or {"knowledge": list(ids), "at": 0, "range": range}
    except UsageError:  # told by who reads sessions
        return None
    named = place.get("knowledge")
    place.setdefault("range", (None, None))
    is_known = isinstance(named, list) and all(isinstance(one, str) for one in named) and _is_range(place["range"])
    return place if is_known and named and all(isinstance(parse_id(one), ChunkId) for one in named) else None


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(one, int | float | None) for one in value)
    )


def read_knowledge(engine: Engine, place: Mapping[str, Any]) -> answers.RetrievedContext:
    """Returns a page of chunks, or of whole modules, in the order of their ids."""
    ids, start = place["knowledge"], place["at"]
    ensure_few(ids)
    start_char, most = character_range(ids, place["range"])
    end = start_char + most if most else None
    notes = {id: _missing(engine, id) for id in ids}
    items = [item for id in ids if not notes[id] for item in _items(engine, id, slice(start_char, end))]
    shown = page(items, start, lambda one: engine.count(one.model_dump_json(exclude_none=True)))
    more = make_cursor({**place, "at": shown.next}) if shown.next else None
    told = [] if start else [note for note in notes.values() if note]
    return answers.RetrievedContext(session="", items=shown.items, notes=told, next_cursor=more)


def _items(engine: Engine, id: str, run: slice) -> Iterator[answers.ContextItem]:
    text = engine.knowledge.show(id).content[run]
    item = answers.ContextItem(id=id, format=Format.FULL, speaker="knowledge", data=True, text=text)
    return split_item(item, engine.count)


def _missing(engine: Engine, id: str) -> str:
    try:
        engine.knowledge.show(id)
    except NotFound:
        module = id.rpartition("#")[0]
        chunks = [chunk.id for chunk in engine.knowledge.chunks(module)]
        there = f" {module} has {chunks[0]} to {chunks[-1]}." if chunks else " search_knowledge finds others."
        return f"There is no {id}.{there}"
    return ""
