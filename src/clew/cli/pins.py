"""The commands pin, pins, unpin and profile: critical items of a session, and those of the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, FileFormat, Source, StoreUrl, show_help, with_user
from clew.cli.sources import AUTO, is_read, open_engine, opened_to_read, session_of

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
    from clew.cli.output import one_line, print_json, say

    with _stored_session(source, store) as session:
        item = session.pin(**_pin_arguments(text), kind=kind, reason=reason, scope=scope)
    print_json({"pins": [as_dict(item)]}) if as_json else say(f"{item.id} {item.kind}: {one_line(item.text)}")


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
    from clew.cli.output import print_json, say

    if promote:
        from clew.cli.promotion import promote_item

        with _stored_session(source, store) as session:
            promote_item(session, promote, yes=yes, as_json=as_json)
        return
    with session_of(source, store, format=format) as session:
        known = session.pins(kind, all=True)
    found = known if all_ else [item for item in known if item.is_in_force]
    if as_json:
        print_json({"pins": [as_dict(item) for item in found]})
        return
    for item in found:
        say(item_line(item))
    if not found:
        say("no critical items")
    if hidden := ", ".join(_hidden_counts(known)):
        more = "" if all_ else f"`clew pins {source} --all` lists them, "
        say(f"{hidden}: {more}`clew pin {source} ID` puts one in force")


def item_line(item: CriticalItem) -> str:
    """Returns an item as one line of a list."""
    from clew.cli.output import one_line

    whose = "" if item.by == "person" else f" (by {item.by})"
    whose = f" ({one_line(item.occasion)})" if item.occasion else whose
    place = f"{item.id:<4} {item.kind:<12} {item.scope:<8} {item.source or '-':<8}"
    return f"{place} {one_line(item.text)}{whose}{_state(item)}"


def _state(item: CriticalItem) -> str:
    """Out of force since when, by which message and why; nothing for an item in force."""
    from clew.cli.output import when

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
    from clew.cli.output import print_json, say

    with _stored_session(source, store) as session:
        session.unpin(id)
    told = f"{id} is no longer critical; `clew pin {source} {id}` takes that back"
    print_json({"unpinned": id}) if as_json else say(told)


def as_dict(item: CriticalItem) -> dict[str, Any]:
    """Returns an item with the keys that are documented."""
    names = ("id", "kind", "text", "reason", "source", "by", "scope", "created", "supersedes", "state", "occasion")
    ends = ("ended", "ended_in", "ended_reason")
    return {name: getattr(item, name) for name in (*names, *ends)}


def _stored_session(source: str, store: str | None) -> Any:
    from clew.errors import UsageError

    if is_read(source):
        raise UsageError(f"{source} is only read; `clew import` it, and pin in the stored session")
    return session_of(source, store)


def _pin_arguments(text: str) -> dict[str, Any]:
    """What looks like an id is meant as one, else the words themselves."""
    if text[1:].isdecimal() and text[0] in "mp":
        return {"message" if text[0] == "m" else "item": text}
    return {"text": text}


# ── the profile ──────────────────────────────────────────────────────────────────────────────────────

_Sources = Annotated[list[str], typer.Argument(metavar="SESSION…", help="Stored sessions: ids, prefixes or `latest`.")]

profile = typer.Typer(help="Manage what holds in all your sessions.", rich_markup_mode=None)


@profile.callback(invoke_without_command=True)
def _profile(context: typer.Context) -> None:
    show_help(context)


@profile.command("show")
@with_user
def show_profile(as_json: AsJson = False, store: StoreUrl = None) -> None:
    """List what holds in every session of yours."""

    with opened_to_read(store) as engine:
        found = engine.profile().show()
    _print_profile(found, as_json=as_json, otherwise="the profile is empty; `clew profile set TEXT` adds to it")


def _print_profile(found: list[CriticalItem], *, as_json: bool, otherwise: str) -> None:
    from clew.cli.output import one_line, print_json, say

    if as_json:
        print_json({"profile": [as_dict(item) for item in found]})
        return
    for item in found:
        say(f"{item.id:<4} {item.kind:<12} {one_line(item.text)} ({_origin(item)})")
    if not found:
        say(otherwise)


def _origin(item: CriticalItem) -> str:
    """Where and when an item of the profile was said, or that it was set by hand."""
    from clew.cli.output import when

    session, _, message = item.source.partition(" ")
    said = f"said in {session} {message}" if message else f"set by hand in {session}" if session else "set by hand"
    return f"{said}, {when(item.created)}" if item.created else said


@profile.command("set")
@with_user
def set_profile(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is to hold, in your words.")],
    id: Annotated[str, typer.Option("--id", metavar="ID", help="Change this item, such as p3.")] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="K", help="preference, instruction and so on.")] = "preference",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Add something to the profile, or change an item of it.

    Another choice of the same thing takes its place. What is set here holds against what is said in conversations.
    """
    from clew.cli.output import one_line, print_json, say

    with open_engine(store) as engine:
        item = engine.profile().set(text, kind=kind, id=id)
    print_json({"profile": [as_dict(item)]}) if as_json else say(f"{item.id} {item.kind}: {one_line(item.text)}")


@profile.command("forget")
@with_user
def forget_profile(
    id: Annotated[str, typer.Argument(metavar="ID", help="The item, such as p3.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Remove something from the profile.

    It does not come back from the message that said it.
    """
    from clew.cli.output import print_json, say

    with opened_to_read(store) as engine:
        engine.profile().forget(id)
    print_json({"forgotten": id}) if as_json else say(f"{id} is forgotten")


@profile.command("learn")
@with_user
def learn_profile(sources: _Sources, as_json: AsJson = False, store: StoreUrl = None) -> None:
    """Take in what you say of yourself in stored sessions.

    Live sessions and those of your coding assistants are taken in by themselves; imported files are not, since they may
    hold somebody else's words.
    """

    with opened_to_read(store) as engine:
        sessions = [engine.find(source) for source in sources]
        profiles = [engine.profile(user) for user in dict.fromkeys(session.user for session in sessions)]
        before = [{item.id for item in profile.show()} for profile in profiles]
        for session in sessions:
            session.learn_profile()
        both = zip(profiles, before, strict=True)
        found = [item for profile, known in both for item in profile.show() if item.id not in known]
    _print_profile(found, as_json=as_json, otherwise="nothing new")
