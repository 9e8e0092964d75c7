"""The command search: finds by words and meaning, in one session or in all, and in registered knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, StoreUrl
from clew.cli.search_results.vector_wait import noted_failures, wait_for_vectors
from clew.cli.sources import AUTO, engine_and_session, opened

if TYPE_CHECKING:
    from clew.engine.engine import Engine
    from clew.engine.read.search_result import SearchResult

    Find = Callable[["_Asked"], list[SearchResult]]

#: Most ids that are named of what says the same as a result.
_MOST_ALIKE = 8
_KINDS = ("segment", "message", "blob", "module", "chunk")


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="Words, names, a question; - reads it from stdin.")],
    session: Annotated[
        str, typer.Option("--session", metavar="SOURCE", help="Only in this session, or in this file.")
    ] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="K", help=f"Only these: {', '.join(_KINDS)}.")] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1_000, help="Most results.")] = 10,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each score is made of.")] = False,
    rerank: Annotated[bool, typer.Option("--rerank", help="Have the configured model put the best in order.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Find what was said, done or registered, by words and by meaning.

    Results name the id to read with `clew show`, and the messages that match, best first.
    """
    from clew.cli.output import print_json, say
    from clew.cli.search_results.query_facts import query_facts, query_line
    from clew.errors import UsageError

    if kind and kind not in _KINDS:
        raise UsageError(f"--kind {kind}: there are {', '.join(_KINDS)}")
    text = _read(query)
    if not text.strip():
        raise UsageError("the query is empty; say what to look for")
    with _searched(session, store, format) as (engine, find):
        found = _find(engine, find, _Asked(text, limit, kind, rerank))
    if as_json:
        results = [_as_dict(one, explain=explain) for one in found]
        print_json({"query": query_facts(text), "results": results} if explain else {"results": results})
        return
    if explain:
        say(query_line(text))
    if not found:
        say("nothing matches; try other words")
    for one in found:
        _say(one, explain=explain, with_session=not session)


@dataclass(frozen=True, slots=True)
class _Asked:
    text: str
    limit: int
    kind: str
    rerank: bool


@contextmanager
def _searched(source: str, store: str | None, format: str) -> Iterator[tuple[Engine, Find]]:
    """Yields what searches one session, or the whole store, and its engine."""
    if source:
        with engine_and_session(source, store, format=format) as (engine, session):
            yield (
                engine,
                lambda one: session.search(one.text, limit=one.limit, kind=one.kind or "segment", rerank=one.rerank),
            )
    else:
        with opened(store) as engine:
            yield (
                engine,
                lambda one: engine.search(one.text, limit=one.limit, kind=one.kind or None, rerank=one.rerank),
            )


def _find(engine: Engine, find: Find, asked: _Asked) -> list[SearchResult]:
    """Searches; where vectors are being made, once more when they are, or when patience ends. A model is asked last."""
    from clew.cli.output import note

    stop = engine.on("rerank.degraded", lambda event: note(f"clew: not reranked: {event.data['reason']}"))
    with noted_failures(engine, "searched by words alone"):
        found = find(replace(asked, rerank=False))
        found = find(asked) if wait_for_vectors(engine) or asked.rerank else found
    stop()
    return found


def _read(query: str) -> str:
    if query != "-":
        return query
    import sys

    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _as_dict(one: SearchResult, *, explain: bool) -> dict[str, Any]:
    value = asdict(one)
    if not explain:
        del value["why"], value["feedback"]
    return value


def _say(one: SearchResult, *, explain: bool, with_session: bool) -> None:
    from clew.cli.output import one_line, say

    place = f"{one.session} {one.id}" if with_session and one.session else one.id
    matching = f"  {', '.join(one.messages[:5])}" if one.messages and one.messages != (one.id,) else ""
    say(f"{place}  {one.kind}  {one.score:.2f}{matching}")
    if one.context:
        say(f"    {one_line(one.context)}")
    say(f"  {one_line(one.text)}")
    if one.alike:
        say(f"  the same: {', '.join(one.alike[:_MOST_ALIKE])}{' …' if len(one.alike) > _MOST_ALIKE else ''}")
    if explain:
        parts = ", ".join(f"{name} {part:+.2f}" for name, part in one.why.items())
        say(f"  {'; '.join(filter(None, (parts, one.feedback, f'from {one.source}')))}")
