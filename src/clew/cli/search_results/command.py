"""The command search: finds by words and meaning, in one session or in all, and in registered knowledge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, StoreUrl
from clew.cli.output import note, print_json, say, short_line
from clew.cli.search_results.vector_wait import noted_failures, wait_for_vectors
from clew.cli.sources import AUTO, engine_and_session, opened_to_read
from clew.errors import UsageError
from clew.retrieval.times import since_time, until_time

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.read.search_result import SearchResult
    from clew.engine.read.vector_progress import VectorProgress
    from clew.engine.session import Session

#: Most ids that are named of what says the same as a result.
_MOST_ALIKE = 8
#: So many missing vectors are made while a command waits.
_MADE_SOON = 200
_NOTHING_YET = "no session is stored yet, and `clew import FILE` stores one"
_KINDS = ("segment", "message", "blob", "module", "chunk")


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, names, a question; - reads it from stdin.")],
    session: Annotated[
        str, typer.Option("--session", metavar="SOURCE", help="Only in this session, or in this file.")
    ] = "",
    project: Annotated[str, typer.Option("--project", metavar="P", help="Only in sessions of this project.")] = "",
    since: Annotated[
        str, typer.Option("--since", metavar="T", help="Only messages since then: 2026-05-08, 7d, 12h, yesterday.")
    ] = "",
    until: Annotated[str, typer.Option("--until", metavar="T", help="Only messages until then.")] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="K", help=f"Only these: {', '.join(_KINDS)}.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1_000, help="Most results.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")] = False,
    rerank: Annotated[bool, typer.Option("--rerank", help="Have the configured model put the best in order.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Find what was said, done or registered, by words and by meaning.

    What says the query word for word comes first; a "phrase in quotation marks" has to be said just so. Results name
    the id to read with `clew show`, and the messages that match, best first.
    """
    from clew.cli.search_results.query_facts import query_facts, query_line

    if kind and kind not in _KINDS:
        raise UsageError(f"--kind {kind}: there are {', '.join(_KINDS)}")
    text = _read(query)
    if not text.strip():
        raise UsageError("the query is empty; say what to look for")
    asked = _Asked(text, limit, kind, rerank, project, since_time(since), until_time(until))
    with _open_searched(session, store, format) as (engine, chosen):
        results, vectors = _find(engine, chosen, asked)
        is_empty = not engine.infos()
    if as_json:
        report = {"results": [_as_dict(result, explain=explain) for result in results], "vectors": vectors}
        print_json({"query": query_facts(text)} | report if explain else report)
        return
    if explain:
        say(query_line(text))
    if not results:
        say(f"nothing matches; {_NOTHING_YET if is_empty else 'try other words'}")
    for one in results:
        _say(one, explain=explain, with_session=not session)


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    limit: int
    kind: str
    rerank: bool
    project: str
    since: float | None
    until: float | None


@contextmanager
def _open_searched(source: str, store: str | None, format: str) -> Iterator[tuple[Engine, Session | None]]:
    """Yields the engine, and the session that alone is searched, if any."""
    if source:
        with engine_and_session(source, store, format=format) as (engine, session):
            yield engine, session
    else:
        with opened_to_read(store) as engine:
            yield engine, None


def _find(engine: Engine, session: Session | None, asked: _Asked) -> tuple[list[SearchResult], dict[str, int] | None]:
    """Searches; where a few vectors are missing, once more when they are made, or when patience ends. A model is asked
    last. Returns how many messages have vectors, too; None where there is no embedder.
    """
    user = (session.user or None) if session else None
    filters = ({"session": session.id} if session else {}) | ({"project": asked.project} if asked.project else {})

    def find(*, rerank: bool) -> list[SearchResult]:
        return engine.search(
            asked.text,
            user=user,
            limit=asked.limit,
            kind=asked.kind or ("segment" if session else None),
            filters=filters,
            since=asked.since,
            until=asked.until,
            rerank=rerank,
        )

    stop = engine.on("rerank.degraded", lambda event: note(f"clew: not reranked: {event.data['reason']}"))
    with noted_failures(engine, "searched by words alone"):
        results = find(rerank=False)
        is_soon = engine.vector_progress(user=user, filters=filters).missing <= _MADE_SOON
        results = find(rerank=asked.rerank) if (is_soon and wait_for_vectors(engine)) or asked.rerank else results
    stop()
    return results, _told_vectors(engine.vector_progress(user=user, filters=filters))


def _told_vectors(progress: VectorProgress) -> dict[str, int] | None:
    """Says where meaning has no part in the order yet."""
    if progress.missing:
        made = f"{progress.made:,} of {progress.messages:,} messages have vectors"
        note(f"clew: searched by words; {made}, and meaning counts once all have; `clew rebuild --missing` makes them")
    return {"made": progress.made, "messages": progress.messages} if progress.messages else None


def _read(query: str) -> str:
    if query != "-":
        return query
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _as_dict(result: SearchResult, *, explain: bool) -> dict[str, Any]:
    value = asdict(result)
    if not explain:
        del value["why"], value["feedback"]
    return value


def _say(result: SearchResult, *, explain: bool, with_session: bool) -> None:
    place = f"{result.session} {result.id}" if with_session and result.session else result.id
    matching = f"  {', '.join(result.messages[:5])}" if result.messages and result.messages != (result.id,) else ""
    say(f"{place}  {result.kind}  {result.score:.2f}{matching}")
    if result.context:
        say(f"    {short_line(result.context)}")
    say(f"  {short_line(result.text)}")
    if result.alike:
        say(f"  the same: {', '.join(result.alike[:_MOST_ALIKE])}{' …' if len(result.alike) > _MOST_ALIKE else ''}")
    if explain:
        parts = ", ".join(f"{name} {part:+.2f}" for name, part in result.why.items())
        say(f"  {'; '.join(filter(None, (parts, result.feedback, f'from {result.source}')))}")
