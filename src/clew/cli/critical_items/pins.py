"""The commands pin, pins and unpin: critical items of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl
from clew.cli.output import print_json, say, short_line, when
from clew.cli.sources import AUTO, is_read, session_of
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.domain import CriticalItem


def pin(
    source: Source,
    text: Annotated[
        str,
        typer.Argument(
            metavar="TEXT", help="The words, or the id of a message (m12) or of an item that is out of force (p3)."
        ),
    ],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="K", help="decision, requirement, instruction, constraint, preference, custom."),
    ] = "custom",
    reason: Annotated[str, typer.Option("--reason", metavar="R", help="Why it matters.")] = "",
    scope: Annotated[str, typer.Option("--scope", metavar="S", help="task, project or user.")] = "project",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Keep words in every prompt, never shortened.

    With the id of an item that is proposed, lapsed or unpinned, that item is put in force.
    """
    with _stored_session(source, store) as session:
        item = session.pin(**_pin_arguments(text), kind=kind, reason=reason, scope=scope)
    print_json({"pins": [as_dict(item)]}) if as_json else say(f"{item.id} {item.kind}: {short_line(item.text)}")


def pins(
    source: Source,
    kind: Annotated[str | None, typer.Option("--kind", metavar="K", help="Only of this kind.")] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Also what is proposed, lapsed, unpinned or replaced: when, and why.")
    ] = False,
    promote: Annotated[
        str, typer.Option("--promote", metavar="ID", help="Write this item into the project's CLAUDE.md or AGENTS.md.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="With --promote: write without asking.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """List critical items, which every prompt states.

    Items of scope task lapse when the task is over; all others hold until somebody ends them.
    """
    if promote:
        from clew.cli.critical_items.promotion import promote_item

        with _stored_session(source, store) as session:
            promote_item(session, promote, yes=yes, as_json=as_json)
        return
    with session_of(source, store, format=format) as session:
        items = session.pins(kind, all=True)
    shown = items if all_ else [item for item in items if item.is_in_force]
    if as_json:
        print_json({"pins": [as_dict(item) for item in shown]})
        return
    for item in shown:
        say(item_line(item))
    if not shown:
        say("no critical items")
    if hidden := ", ".join(_hidden_counts(items)):
        more = "" if all_ else f"`clew pins {source} --all` lists them, "
        say(f"{hidden}: {more}`clew pin {source} ID` puts one in force")


def item_line(item: CriticalItem) -> str:
    """Returns an item as one line of a list."""
    whose = "" if item.by == "person" else f" (by {item.by})"
    whose = f" ({short_line(item.occasion)})" if item.occasion else whose
    place = f"{item.id:<4} {item.kind:<12} {item.scope:<8} {item.source or '-':<8}"
    return f"{place} {short_line(item.text)}{whose}{_state(item)}"


def _state(item: CriticalItem) -> str:
    """Out of force since when, by which message and why; nothing for an item in force."""
    if item.is_in_force:
        return ""
    where = f" in {item.ended_in}" if item.ended_in else ""
    time = f" on {when(item.ended)}" if item.ended else ""
    why = f": {item.ended_reason}" if item.ended_reason else ""
    return f" ({item.state}{where}{time}{why})"


def _hidden_counts(items: list[CriticalItem]) -> list[str]:
    """What a person may want to put in force: proposed and lapsed items, counted."""
    numbers = {state: sum(item.state == state for item in items) for state in ("proposed", "lapsed")}
    return [f"{number} {state}" for state, number in numbers.items() if number]


def unpin(
    source: Source,
    id: Annotated[str, typer.Argument(metavar="ID", help="The item, such as p3.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Take an item out of prompts; the record keeps it."""
    with _stored_session(source, store) as session:
        session.unpin(id)
    line = f"{id} is no longer critical; `clew pin {source} {id}` takes that back"
    print_json({"unpinned": id}) if as_json else say(line)


def as_dict(item: CriticalItem) -> dict[str, Any]:
    """Returns an item with the keys that are documented."""
    names = ("id", "kind", "text", "reason", "source", "by", "scope", "created", "supersedes", "state", "occasion")
    more = ("ended", "ended_in", "ended_reason", "project")
    return {name: getattr(item, name) for name in (*names, *more)}


def _stored_session(source: str, store: str | None) -> Any:
    if is_read(source):
        raise UsageError(f"{source} is only read; `clew import` it, and pin in the stored session")
    return session_of(source, store)


def _pin_arguments(text: str) -> dict[str, Any]:
    """What looks like an id is meant as one, else the words themselves."""
    if text[1:].isdecimal() and text[0] in "mp":
        return {"message" if text[0] == "m" else "item": text}
    return {"text": text}
