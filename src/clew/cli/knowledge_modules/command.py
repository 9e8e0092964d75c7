"""The commands of ``clew knowledge``: modules that sessions draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, StoreUrl, show_help, with_user
from clew.cli.output import note, print_json, say, short_line
from clew.cli.search_results.vector_wait import noted_failures, wait_for_vectors
from clew.cli.sources import open_engine, opened_to_read
from clew.errors import ClewError, UsageError

if TYPE_CHECKING:
    from clew.domain.modules import Module
    from clew.engine.knowledge.library import Additions

knowledge = typer.Typer(help="Manage the knowledge that sessions draw on.", rich_markup_mode=None)
_Id = Annotated[str, typer.Argument(metavar="ID", help="The module, such as deploy, or a chunk of it: deploy#3.")]
_Filters = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="NAME=VALUE", help="Only modules with this value, such as category=ops."),
]
_SECONDS = 1.0
#: So long what is found by vectors is waited for, when all else is printed.
_VECTOR_SECONDS = 20.0
_BY_WORDS = "found by words alone until vectors can be made"


@knowledge.callback(invoke_without_command=True)
def _knowledge(context: typer.Context) -> None:
    show_help(context)


@knowledge.command("add")
@with_user
def add(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH…", help="Files, folders, or globs such as 'docs/**/*.md'.")
    ],
    follow: Annotated[bool, typer.Option("--follow", help="Go on, and add what changes, until interrupted.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Register the modules of files.

    All of them or none. What was registered under an id before is kept as an earlier version.
    """
    with open_engine(store) as engine, noted_failures(engine, _BY_WORDS):
        _report(engine.knowledge.add(*paths), as_json=as_json)
        if follow:
            _follow(engine, as_json=as_json)
        wait_for_vectors(engine, tell=True)


def _follow(engine: Any, *, as_json: bool) -> None:
    import time

    while True:
        time.sleep(_SECONDS)
        try:
            done = engine.knowledge.refresh()
        except ClewError as error:  # a file that is being written is sound again a moment later
            note(f"clew: {error}")
            continue
        if done.added or done.updated:
            _report(done, as_json=as_json)


@knowledge.command("refresh")
@with_user
def refresh(
    prune: Annotated[bool, typer.Option("--prune", help="Remove modules whose files are gone.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Add what has changed in the files and folders that modules came from."""
    with opened_to_read(store) as engine, noted_failures(engine, _BY_WORDS):
        _report(engine.knowledge.refresh(prune=prune), as_json=as_json)
        wait_for_vectors(engine, tell=True)


def _report(done: Additions, *, as_json: bool) -> None:
    names = ("added", "updated", "unchanged", "missing", "removed")
    if as_json:
        print_json({name: list(getattr(done, name)) for name in names})
        return
    lines = [f"{name} {len(ids)}: {', '.join(ids)}" for name in names if (ids := getattr(done, name))]
    say("\n".join(lines) or "nothing has changed")


@knowledge.command("list")
@with_user
def list_(filters: _Filters = None, as_json: AsJson = False, store: StoreUrl = None) -> None:
    """List modules."""
    with opened_to_read(store) as engine:
        modules = engine.knowledge.list(filters=_parse_filters(filters))
    if as_json:
        print_json({"modules": [as_dict(module) for module in modules]})
        return
    for module in modules:
        scope = f"  {module.usage_scope}" if module.usage_scope else ""
        size = f"{module.token_count:,} tokens"
        say(f"{module.id:<24} {module.priority:<6} {size:>14}  {short_line(module.name + scope)}")
    if not modules:
        say("no modules; `clew knowledge add PATH` registers some")


@knowledge.command("show")
@with_user
def show(
    id: _Id,
    version: Annotated[str, typer.Option("--version", metavar="V", help="An earlier version, or its number.")] = "",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Print a module or one of its chunks."""
    with opened_to_read(store) as engine:
        module = engine.knowledge.show(id, version=version)
        versions = [
            {"revision": version.revision, "version": version.version}
            for version in engine.knowledge.versions(module.id)
        ]
        related = list(engine.knowledge.related(module.id))
        chunks = [chunk.id for chunk in engine.knowledge.chunks(module.id)]
    if as_json:
        more = {"content": module.content, "versions": versions, "related": related, "chunks": chunks}
        print_json({"module": {**as_dict(module), **more}})
        return
    about = f"{module.name} ({module.priority}, {module.token_count:,} tokens, revision {module.revision})"
    say(short_line(f"{id}: {about}"))
    say(module.content)


@knowledge.command("search")
@with_user
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Most results.")] = 10,
    filters: _Filters = None,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Find the chunks of modules that match a query."""
    from dataclasses import asdict

    chosen = _parse_filters(filters)
    with opened_to_read(store) as engine, noted_failures(engine, "searched by words alone"):
        match = engine.knowledge.search(query, limit=limit, filters=chosen)
    if as_json:
        print_json({"results": [asdict(result) for result in match]})
        return
    for one in match:
        path = " › ".join(dict.fromkeys((one.name, *one.headings)))
        why = f" ({one.why})" if one.why else ""
        say(f"{one.id:<24} {one.score:>7.2f}  {short_line(f'{path}: {one.text}')}{why}")
    if not match:
        say("nothing matches")


@knowledge.command("load")
@with_user
def load(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What the knowledge is needed for.")] = "",
    budget: Annotated[int, typer.Option("--budget", metavar="N", help="Most tokens.")] = 2_000,
    sent: Annotated[
        list[str] | None, typer.Option("--after", metavar="ID", help="Go on after this chunk; may be given often.")
    ] = None,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Print what a query needs of the modules, each part as soon as it is known.

    Required modules come first, then tools and skills by name, then what is found.
    """
    from dataclasses import asdict

    with opened_to_read(store) as engine:
        units = []
        for unit in engine.knowledge.load(query, budget=budget, sent=sent or (), wait=_VECTOR_SECONDS):
            units.append(unit)
            if not as_json:
                note(f"{', '.join(unit.sources)}: {unit.why}, {unit.tokens} tokens")
                say(unit.text)
    if as_json:
        print_json({"units": [asdict(unit) for unit in units]})
    elif not units:
        say("nothing is needed")


@knowledge.command("remove")
@with_user
def remove(
    ids: Annotated[list[str], typer.Argument(metavar="ID…", help="The modules.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Delete modules with all their versions.

    Packs that were sent keep what they said.
    """
    with opened_to_read(store) as engine:
        engine.knowledge.remove(*ids)
    print_json({"removed": ids}) if as_json else say(f"removed {', '.join(ids)}")


def as_dict(module: Module) -> dict[str, Any]:
    """Returns what is said of a module, with the keys that are documented."""
    names = ("id", "name", "description", "category", "tags", "priority", "version", "last_updated", "token_count")
    more = ("dependencies", "usage_scope", "kind", "format", "source", "revision")
    return {name: getattr(module, name) for name in (*names, *more)}


def _parse_filters(filters: list[str] | None) -> dict[str, list[str]]:
    by_name: dict[str, list[str]] = {}
    for filter_text in filters or ():
        name, sign, value = filter_text.partition("=")
        if not sign:
            raise UsageError(f"--filter {filter_text} is no NAME=VALUE; give one such as category=ops")
        by_name.setdefault(name, []).append(value)
    return by_name
