"""The command open: what the newest sessions of a folder left open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, StoreUrl
from clew.cli.output import print_json, say, short_line, when
from clew.cli.sources import opened_to_read
from clew.cli.table import short_ids

if TYPE_CHECKING:
    from clew.domain import SessionInfo
    from clew.engine.engine import Engine
    from clew.engine.session import Session
    from clew.history.work_map.view import WorkMap
    from clew.packing.current_context import ContextFact


def open_(
    project: Annotated[
        str, typer.Option("--project", metavar="P", help="Sessions of this project: in a folder P, or below.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The newest N sessions.")] = 5,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Show what the newest sessions of this folder left open.

    What failed and was not seen to pass, to-dos, edits that were not committed, questions, and what the agent named as
    next; each with the message that says so. The folder is the repository that you are in.
    """
    with opened_to_read(store) as engine:
        infos = engine.infos()
        chosen = [info for info in infos if _is_of(info, project)][:limit]
        left = _left_open(engine, chosen)
    if as_json:
        print_json({"open": [{"session": info.key.id, **fact} for info, facts in left for fact in facts]})
    elif left:
        _say_open(left, [info.key.id for info in infos])
    elif chosen:
        say("Nothing is left open.")
    else:
        say("No session of that project is stored." if project else "No session of this folder is stored.")


def _is_of(info: SessionInfo, project: str) -> bool:
    """Whether a session is of a project, or of the repository that the working folder is in."""
    from clew.assistants.transcript import is_same_folder
    from clew.engine.health.rule_files import repository_root

    here = Path.cwd()
    return info.is_of_project(project or str(repository_root(here))) or (
        not project and bool(info.cwd) and is_same_folder(info.cwd, str(here))
    )


def _left_open(engine: Engine, infos: list[SessionInfo]) -> list[tuple[SessionInfo, list[dict[str, Any]]]]:
    """What is open or next in sessions, which come newest first; nothing for those that left nothing. A failure is over
    whose check a newer session of the same user has run again: that one tells how it ended."""
    left: list[tuple[SessionInfo, list[dict[str, Any]]]] = []
    checked: dict[str, list[str]] = {}
    for info in infos:
        session, newer = engine.find(info.key.id, user=info.key.user), checked.setdefault(info.key.user, [])
        if facts := _facts(session, newer):
            left.append((info, facts))
        newer += [run.command for run in session.reader.work_map().commands if run.is_check and run.ok is not None]
    return left


def _facts(session: Session, newer: list[str]) -> list[dict[str, Any]]:
    """What is open or next in a session, each once, without what was checked again by ``newer`` commands."""
    current, over = session.current_context(), _checked_again(session.reader.recent_work(), newer)
    kinds = {"open": [fact for fact in current.open if fact not in over], "next": current.next_steps}
    facts = {fact.text: (kind, fact.source) for kind in reversed(kinds) for fact in kinds[kind]}
    rows = [{"kind": kind, "message": source, "text": text} for text, (kind, source) in facts.items()]
    return sorted(rows, key=lambda fact: fact["kind"] == "next")


def _checked_again(work: WorkMap, newer: list[str]) -> list[ContextFact]:
    """The failures of a session that newer commands have checked again, as its current context tells them."""
    from clew.packing.current_context import state_context
    from clew.text.tools.purposes import proves_fixed
    from clew.units.state_lines import StateKind, failure_fact

    failures = (
        failure
        for failure in work.open_failures
        if any(proves_fixed(run, failure.about, failure.tests) for run in newer)
    )
    return [*state_context([failure_fact(failure, work) for failure in failures], StateKind.FAILURE)]


def _say_open(left: list[tuple[SessionInfo, list[dict[str, Any]]]], ids: list[str]) -> None:
    """Prints when each session was and what it was about, and below it what it left open."""
    names = dict(zip(ids, short_ids(ids), strict=True))
    for info, facts in left:
        say(f"{when(info.updated)} {short_line(info.title)}".rstrip())
        for fact in facts:
            lead = "next: " if fact["kind"] == "next" else ""
            say(f"{names[info.key.id]} {fact['message']:<5} {lead}{short_line(fact['text'])}")
