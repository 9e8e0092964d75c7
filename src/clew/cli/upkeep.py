"""The commands doctor, purge and rebuild: check, delete and rebuild what the store holds."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import confirm, note, print_json, progress, say
from clew.cli.sources import opened_to_read
from clew.errors import UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.domain import SessionInfo
    from clew.engine.engine import Engine

_AGE = re.compile(r"(\d+)\s*([smhdw])")
_UNIT_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def doctor(
    repair: Annotated[
        bool, typer.Option("--repair", help="Quarantine a damaged store and save what is readable.")
    ] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Check the installation and the store.

    The exit code is 1 if something is not sound.
    """
    from clew.cli.diagnosis import CHECKS, examine, salvage

    with progress("checking", CHECKS) as advance:
        report = salvage(store) if repair else {}
        checks = examine(store, advance)
    sound = all(check["ok"] for check in checks)
    if as_json:
        print_json({"ok": sound, "checks": checks} | ({"repaired": report} if report else {}))
    else:
        for name, value in report.items():
            say(f"repaired  {name}: {value}")
        for check in checks:
            say(f"{'ok  ' if check['ok'] else 'BAD '}  {check['check']}: {check['detail']}")
            for command in check["next"]:
                say(f"      next: {command}")
    raise typer.Exit(0 if sound else 1)


def purge(
    sessions: Annotated[
        list[str] | None, typer.Argument(metavar="SESSION", help="Sessions to delete.", show_default=False)
    ] = None,
    source: Annotated[str, typer.Option(metavar="PATH", help="Delete the sessions imported from this file.")] = "",
    older_than: Annotated[str, typer.Option(metavar="AGE", help="Delete sessions not touched for 30d, 12h, 2w …")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Delete every session.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Delete sessions for good.

    Everything goes: ledger, blobs, all that is derived, backups of the store, and the cache of `clew audit`.
    """
    from clew.audit.result_cache import clear_audit_cache

    if not (sessions or source or older_than or everything):
        raise UsageError("say what to delete: sessions, --source PATH, --older-than AGE or --all")
    with opened_to_read(store) as engine:
        chosen = _chosen(engine, sessions or [], source, older_than, everything=everything)
        if not chosen:
            note("nothing to delete")
        elif not yes:
            _ask(chosen)
        erasure = engine.purge(*(info.key for info in chosen))
    clear_audit_cache()
    if as_json:
        print_json(
            {
                "purged": [info.key.id for info in chosen],
                "backups_removed": list(erasure.copies),
                "left": erasure.left,
            }
        )
    else:
        for info in chosen:
            say(f"deleted {info.key.id} ({pluralise(info.messages, 'message')})")
        for path in erasure.copies:
            say(f"deleted the backup {path}, which held it too")
    if erasure.left:
        note(f"clew: {erasure.left}")


def _chosen(engine: Engine, ids: list[str], source: str, older_than: str, *, everything: bool) -> list[SessionInfo]:
    from pathlib import Path

    infos = engine.infos()
    named = {engine.find(id).key for id in ids}
    before = time.time() - _seconds(older_than) if older_than else 0.0
    path = str(Path(source).absolute()) if source else ""
    return [
        info
        for info in infos
        if everything
        or info.key in named
        or (path and info.source and str(Path(info.source).absolute()) == path)
        or (older_than and info.updated < before)
    ]


def _seconds(age: str) -> float:
    match = _AGE.fullmatch(age.strip())
    if not match:
        raise UsageError(f"{age!r} is no age; use a number and s, m, h, d or w, as in 30d")
    return int(match[1]) * _UNIT_SECONDS[match[2]]


def _ask(chosen: list[Any]) -> None:
    if not sys.stdin.isatty():
        raise UsageError(f"this deletes {pluralise(len(chosen), 'session')} for good; say --yes")
    if not confirm(f"Delete {pluralise(len(chosen), 'session')} for good?"):
        note("nothing was deleted")
        raise typer.Exit(1)


def rebuild(
    sessions: Annotated[
        list[str] | None,
        typer.Argument(metavar="SESSION", help="Sessions; all when none is given.", show_default=False),
    ] = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only make what is missing: what an import left for later, and vectors.")
    ] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Rebuild everything that is derived from the ledger.

    With --missing nothing is made twice: projections, what the encoder has not read, and vectors, so that searches go
    by meaning, too. It may be interrupted, and goes on from there.
    """
    with opened_to_read(store) as engine:
        infos = [engine.find(id).info for id in sessions] if sessions else engine.infos()
        if missing:
            _finish(engine, infos, as_json=as_json)
            return
        done = 0
        with progress("rebuilding", sum(info.entries for info in infos)) as advance:
            for info in infos:
                engine.rebuild(info)
                advance(done := done + info.entries)
        if not sessions:
            engine.knowledge.reindex()
    if as_json:
        print_json({"rebuilt": [info.key.id for info in infos]})
    else:
        say(f"rebuilt {pluralise(len(infos), 'session')}")


def _finish(engine: Engine, infos: Sequence[SessionInfo], *, as_json: bool) -> None:
    """Makes what is missing of sessions, the newest first, and of knowledge."""
    left = {info.key: engine.derived_reach(info).entries_left for info in infos}
    unfinished, done = [info for info in infos if left[info.key]], 0
    with progress("making what is missing", sum(left.values())) as advance:
        for info in unfinished:
            done += left[info.key]

            def tell(rest: int, end: int = done) -> None:
                advance(max(end - rest, 0))

            engine.finish(info, progress=tell)
            advance(done)
    engine.knowledge.documents.make_vectors()
    engine.wait()
    if as_json:
        print_json({"completed": [info.key.id for info in unfinished]})
    else:
        say(f"completed {pluralise(len(unfinished), 'session')}; nothing is missing of {len(infos)}")
