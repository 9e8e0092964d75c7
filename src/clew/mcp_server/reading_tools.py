"""Tools that read a session back: its story, parts by id, and parts that match a query."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from clew.engine.engine import Engine
from clew.engine.read.search_result import SearchResult
from clew.engine.session import Session
from clew.errors import UsageError
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
from clew.mcp_server.context_items import is_data, items_of, speaker_of
from clew.mcp_server.knowledge_tools import knowledge_place, read_knowledge
from clew.mcp_server.pages import PAGE_TOKENS, make_cursor, page, pieces, read_cursor
from clew.mcp_server.workspace import Workspace
from clew.ports import TokenCounter
from clew.replies.values import Format
from clew.text.secrets import mask
from clew.text.trim import cut_at_word

_MOST_QUERY_CHARS, _MOST_RESULTS, _RESULTS = 2_000, 50, 10
#: How far back the story of a long session reads, so that nobody waits for it.
_STORY_MESSAGES = 100
#: Messages of a result that are named: the best.
_NAMED = 5
_EXCERPT_CHARS = 240
#: No size is left out for what was asked by name: it comes in pages.
_ANY_SIZE = 10**9


def add_reading_tools(server: MCPServer, workspace: Workspace) -> None:
    """Adds get_story, retrieve_context and search_context."""

    @server.tool(title="Story of the session", annotations=READS)
    async def get_story(session: SessionName = None, cursor: Cursor = None) -> Annotated[CallToolResult, answers.Story]:
        """Read where the session stands: what people asked, the state of the work, its files and findings."""
        return result(await workspace.read_session(session, lambda found: _story(found, read_cursor(cursor))))

    @server.tool(title="Retrieve context", annotations=READS)
    async def retrieve_context(
        conversation_ids: Annotated[
            list[str],
            Field(description="Ids such as x7, x7.2, m12, b… or deploy#3; may be empty with recent and relevant."),
        ] = [],  # noqa: B006 (the schema shows it; it is only read)
        format: Annotated[
            Literal["header", "summary", "full", "mixed"] | None,
            Field(description="mixed is full first, and smaller as the page runs out; default: summary."),
        ] = None,
        priority: Annotated[
            Literal["specific", "recent", "relevant"], Field(description="specific keeps your order.")
        ] = "specific",
        offset: Annotated[
            float | None, Field(description="Of one id, the character to begin with; then format is full by default.")
        ] = None,
        limit: Annotated[float | None, Field(description="Of one id, the most characters.")] = None,
        session: SessionName = None,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, answers.RetrievedContext]:
        """Read parts of the session back by id: anything that was said, done or found, word for word if you like; and
        parts of registered knowledge.
        """

        def work(session: Session) -> answers.RetrievedContext:
            asked: dict[str, Any] = {"format": format, "priority": priority, "range": (offset, limit)}
            place = read_cursor(cursor) or _resolve_parts(session, conversation_ids, **asked)
            return _retrieved_page(session, place)

        if known := knowledge_place(conversation_ids, cursor, range=(offset, limit)):
            return result(await workspace.on_engine(lambda engine: read_knowledge(engine, known)))
        return result(await workspace.read_session(session, work))

    @server.tool(title="Search the context", annotations=READS)
    async def search_context(
        query: Annotated[str, Field(description="Words to look for: names, paths, errors, topics.")],
        kind: Annotated[Literal["segment", "message"], Field(description="What to find.")] = "segment",
        scope: Annotated[
            Literal["session", "project", "all"], Field(description="Where to look; default: this session.")
        ] = "session",
        limit: Annotated[float | None, Field(description=f"Most results, up to {_MOST_RESULTS}.")] = None,
        session: SessionName = None,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, answers.FoundContext]:
        """Find parts of the session by words; with scope, of others of the project, or of all. Gives the lines that
        match, with ids; read what you need with retrieve_context. A "phrase in quotation marks" has to be said just so.
        """

        def work(session: Session | None) -> answers.FoundContext:
            ensure_short(query, name="query", most=_MOST_QUERY_CHARS, instead="take the few words that matter")
            most = whole_number(limit, name="limit", most=_MOST_RESULTS) or _RESULTS
            if not query.strip():
                raise UsageError("query is empty; say what to look for, or read the story with get_story")
            start = int(read_cursor(cursor).get("at", 0))
            engine = workspace.engine()
            if session and scope == "session":
                results = [_result(session, one) for one in session.search(query, limit=most, kind=kind)]
            else:
                filters = {"project": session.info.project} if session and scope == "project" else {}
                others = engine.search(query, limit=most, kind=kind, filters=filters)
                results = [_elsewhere(engine, other) for other in others]
            return _search_page(session.id if session else "", results, kind, start=start, count=engine.count)

        if scope == "all" and not session:
            return result(await workspace.read_newest_session(work))
        return result(await workspace.read_session(session, work))


# ── the story ────────────────────────────────────────────────────────────────────────────────────────


def _story(session: Session, place: dict[str, Any]) -> answers.Story:
    sections = [
        answers.StorySection(name=one.name, text=text, sources=list(one.sources)[:_NAMED])
        for one in session.story(newest=_STORY_MESSAGES)
        for text in pieces(one.text, session.reader.count)
    ]
    shown = page(sections, int(place.get("at", 0)), lambda one: session.reader.count(one.model_dump_json()))
    more = make_cursor({"at": shown.next}) if shown.next else None
    current = None if place.get("at") else answers.CurrentContext(**session.current_context().fields())
    return answers.Story(session=session.id, sections=shown.items, current=current, next_cursor=more)


# ── by id ────────────────────────────────────────────────────────────────────────────────────────────


def _resolve_parts(session: Session, ids: list[str], *, range: CharacterRange, **asked: Any) -> dict[str, Any]:
    """What a request comes to: parts with their sizes, which the cursor carries on, and notes for the first page."""
    ensure_few(ids)
    offset, limit = character_range(ids, range)
    quota = PAGE_TOKENS if asked["format"] == Format.MIXED else _ANY_SIZE
    answer = session.retrieve(ids, **asked, offset=offset, limit=limit, quota=quota, texts=False)
    parts = [[one.id, str(one.format), *([one.start, one.end] if one.chars else [])] for one in answer.sent]
    return {"parts": parts, "at": 0, "notes": list(answer.notes)}


def _retrieved_page(session: Session, place: dict[str, Any]) -> answers.RetrievedContext:
    parts = place.get("parts")
    if not isinstance(parts, list) or not all(map(_is_part, parts)):
        raise UsageError("this cursor is of another tool; hand back next_cursor of retrieve_context, or leave it out")
    items = [item for id, format, *run in parts for item in items_of(session, str(id), str(format), *run)]
    shown = page(items, place["at"], lambda one: session.reader.count(one.model_dump_json(exclude_none=True)))
    more = make_cursor({"parts": parts, "at": shown.next}) if shown.next else None
    notes = [str(note) for note in place.get("notes", [])]
    return answers.RetrievedContext(session=session.id, items=shown.items, notes=notes, next_cursor=more)


def _is_part(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (2, 4) and all(isinstance(one, int) for one in value[2:])


# ── by words ─────────────────────────────────────────────────────────────────────────────────────────


def _result(session: Session, result: SearchResult) -> answers.Found:
    return _segment(session, result) if result.kind == "segment" else _message(session, result)


def _elsewhere(engine: Engine, result: SearchResult) -> answers.Found:
    """A result of some session, which it names."""
    session = engine.session(result.session, user=result.user or None)
    return _result(session, result).model_copy(update={"session": result.session})


def _search_page(
    session: str, results: list[answers.Found], kind: str, *, start: int, count: TokenCounter
) -> answers.FoundContext:
    shown = page(results, start if results else 0, lambda one: count(one.model_dump_json()))
    step = (
        "Read one with retrieve_context: summary first, full if you need the words."
        if results
        else "Nothing matches. Try other words, or get_story for what the session is about."
    )
    more = make_cursor({"at": shown.next}) if shown.next else None
    return answers.FoundContext(session=session, kind=kind, results=shown.items, next_step=step, next_cursor=more)


def _segment(session: Session, result: SearchResult) -> answers.Found:
    header = session.reader.trio(result.id).header
    return answers.Found(
        id=result.id,
        header=mask(header.line),
        text=cut_at_word(result.text, _EXCERPT_CHARS),
        score=round(result.score, 3),
        tokens=header.tokens,
        messages=list(result.messages[:_NAMED]),
        alike=list(result.alike[:_NAMED]) or None,
    )


def _message(session: Session, result: SearchResult) -> answers.Found:
    message = session.messages(result.id)[0]
    speaker = speaker_of(message, next(iter(message.outputs), None))
    return answers.Found(
        id=result.id,
        header=cut_at_word(result.text, _EXCERPT_CHARS),
        text=cut_at_word(result.text, _EXCERPT_CHARS),
        score=round(result.score, 3),
        tokens=session.reader.tokens_of([message.number]),
        messages=[result.id],
        speaker=speaker,
        data=is_data(speaker),
        context=result.context or None,
        alike=list(result.alike[:_NAMED]) or None,
    )
