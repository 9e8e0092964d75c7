"""The commands remember, forget and profile: what holds in all sessions of a user, or in those of a project."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.critical_items.pins import as_dict
from clew.cli.options import AsJson, StoreUrl, show_help, with_user
from clew.cli.output import print_json, say, short_line, when
from clew.cli.sources import open_engine, opened_to_read

if TYPE_CHECKING:
    from clew.domain import CriticalItem

_Text = Annotated[str, typer.Argument(metavar="TEXT", help="What is to hold, in your words.")]
_Kind = Annotated[
    str,
    typer.Option("--kind", metavar="K", help="constraint, requirement, instruction, decision, preference or custom."),
]
_Sources = Annotated[list[str], typer.Argument(metavar="SESSION…", help="Stored sessions: ids, prefixes or `latest`.")]

profile = typer.Typer(help="Manage what holds in all your sessions.", rich_markup_mode=None)


@profile.callback(invoke_without_command=True)
def _profile(context: typer.Context) -> None:
    show_help(context)


@profile.command("show")
@with_user
def show_profile(as_json: AsJson = False, store: StoreUrl = None) -> None:
    """List what holds in every session of yours, and in those of a project."""
    with opened_to_read(store) as engine:
        items = engine.profile().show()
    _print_profile(items, as_json=as_json, otherwise="the profile is empty; `clew profile set TEXT` adds to it")


def _print_profile(items: list[CriticalItem], *, as_json: bool, otherwise: str) -> None:
    if as_json:
        print_json({"profile": [as_dict(item) for item in items]})
        return
    for item in items:
        say(f"{item.id:<4} {item.kind:<12} {short_line(item.text)} ({_origin(item)})")
    if not items:
        say(otherwise)


def _origin(item: CriticalItem) -> str:
    """Where and when an item of the profile was said, or that it was set by hand, and where it holds."""
    session, _, message = item.source.partition(" ")
    origin = f"said in {session} {message}" if message else f"set by hand in {session}" if session else "set by hand"
    origin = f"{origin}, {when(item.created)}" if item.created else origin
    return f"{origin}, only in {item.project}" if item.project else origin


@profile.command("set")
@with_user
def set_profile(
    text: _Text,
    id: Annotated[str, typer.Option("--id", metavar="ID", help="Change this item, such as p3.")] = "",
    kind: _Kind = "preference",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Add something to the profile, or change an item of it.

    Another choice of the same thing takes its place. What is set here holds against what is said in conversations.
    """
    with open_engine(store) as engine:
        item = engine.profile().set(text, kind=kind, id=id)
    _print_set(item, as_json=as_json)


def remember(
    text: _Text,
    project: Annotated[
        bool, typer.Option("--project", help="Only in sessions of the repository or folder that you are in.")
    ] = False,
    kind: _Kind = "custom",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Have something stated in every session of yours from here on.

    It is an item of your profile, word for word. What is remembered for a project holds there against what is said for
    all sessions.
    """
    from clew.engine.health.rule_files import repository_root

    folder = str(repository_root(Path.cwd())) if project else ""
    with open_engine(store) as engine:
        item = engine.profile().set(text, kind=kind, project=folder)
    _print_set(item, as_json=as_json)


def _print_set(item: CriticalItem, *, as_json: bool) -> None:
    if as_json:
        print_json({"profile": [as_dict(item)]})
        return
    where = f" (in {item.project})" if item.project else ""
    say(f"{item.id} {item.kind}: {short_line(item.text)}{where}; `clew forget {item.id}` takes it back")


@profile.command("forget")
@with_user
def forget(
    id: Annotated[str, typer.Argument(metavar="ID", help="The item, such as p3; `clew profile show` lists them.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Remove something from the profile: what was remembered, set or said.

    It does not come back from the message that said it.
    """
    with opened_to_read(store) as engine:
        item = engine.profile().forget(id)
    if as_json:
        print_json({"forgotten": id, "text": item.text, "project": item.project})
        return
    where = f" --project` in {item.project}" if item.project else "`"
    say(f"{id} is forgotten; `clew remember {quote(item.text)} --kind {item.kind}{where} brings it back")


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
        items = [item for profile, before in both for item in profile.show() if item.id not in before]
    _print_profile(items, as_json=as_json, otherwise="nothing new")
