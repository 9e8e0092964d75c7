"""health, drift, pin, pins, unpin: what must never fade, whether it is kept, and when to act."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.cli.options import AsJson, Source, StoreUrl, is_read, session_of

if TYPE_CHECKING:
    from clew.domain import Drift, Health, Item
    from clew.engine.session import Session

_WIDTH, _BAR = 46, 16
_COLOURS = {"good": "green", "warning": "yellow", "critical": "red"}
_ORDER = ("good", "warning", "critical")
_MARKS = {"kept": "✓", "broken": "✗", "not_applicable": "·", "unknown": "?"}
#: Clashes less sure than this are in the JSON, and not shown to people.
_SURE = 0.6


def health(
    source: Source,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar="STATE", help="Exit 1 from this on: warning or critical.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Follow a file that grows; ctrl-c ends it.")] = False,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """How a session is doing: its size, its rules, what to do."""
    from clew.cli.alerts import offer
    from clew.cli.output import print_json
    from clew.errors import UsageError

    if fail_on not in (None, "warning", "critical"):
        raise UsageError(f"--fail-on takes warning or critical, not {fail_on!r}")
    if watch:
        _follow(source, store)
        return
    with session_of(source, store) as session:
        found = session.health()
        if as_json:
            print_json(asdict(found))
        else:
            _box(found)
            offer(session, source)
    if fail_on and _ORDER.index(found.health) >= _ORDER.index(fail_on):
        raise typer.Exit(1)


def _follow(source: str, store: str | None) -> None:
    """Draws the box again whenever something changes; looks every second."""
    import time

    last: Health | None = None
    try:
        while True:
            with session_of(source, store) as session:
                found = session.health()
            if found != last:
                _box(found)
                last = found
            time.sleep(1.0)
    except KeyboardInterrupt:
        return


def _box(found: Health) -> None:
    from clew.cli.output import say, size

    filled = min(round(_BAR * found.utilization), _BAR)
    bar = "█" * filled + "░" * (_BAR - filled)
    used = f"{found.utilization:.0%} ({size(found.tokens_used)}/{size(found.tokens_limit)})"
    level = "high" if found.drift_score >= 0.6 else "medium" if found.drift_detected else "low"
    left = f" · about {found.turns_left} replies left" if found.turns_left is not None else ""
    lines = (
        f"context health: {found.health}",
        f"{bar} {used}",
        f"drift: {level} ({found.drift_score:.2f}) · critical: {found.critical_items} items",
        f"grows by {size(int(found.growth_rate))} tokens a reply{left}",
    )
    width = max(_WIDTH, *map(len, lines))
    say("┌" + "─" * (width + 2) + "┐")
    for line in lines:
        _coloured(f"│ {line:<{width}} │", _COLOURS[found.health])
    say("└" + "─" * (width + 2) + "┘")
    for suggestion in found.suggestions:
        say(f"→ {suggestion}")
    for finding in found.findings:
        say(f"! {finding}")


def _coloured(line: str, colour: str) -> None:
    import os
    import sys

    from clew.cli.output import say, shown

    codes = {"green": 32, "yellow": 33, "red": 31}
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        sys.stdout.write(f"\x1b[{codes[colour]}m{shown(line)}\x1b[0m\n")
    else:
        say(line)


def drift(
    source: Source,
    topic: Annotated[str, typer.Option("--topic", metavar="TEXT", help="What the work should be about.")] = "",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Rules and how they are kept, contradictions, and how far the work has gone from its aim."""
    from clew.cli.output import print_json

    with session_of(source, store) as session:
        found = session.drift(topic or None)
    if as_json:
        print_json(asdict(found))
    else:
        show_drift(found)


def show_drift(found: Drift) -> None:
    """Rules with ticks and crosses and where they were broken, contradictions, and what to say again."""
    from clew.cli.output import say

    say(f"drift {found.drift_score:.2f}, topic drift {found.topic_drift:.2f}")
    for rule in found.requirements:
        where = f" ({rule.evidence}: {rule.quote})" if rule.state == "broken" else ""
        say(f"  {_MARKS[rule.state]} {rule.id:<4} {_line(rule.text)}{where}")
    for clash in found.contradictions:
        if clash.score >= _SURE:
            say(f"  ✗ {clash.later} contradicts {clash.earlier} ({clash.speaker}): {_line(clash.about)}")
    for reminder in found.reminders:
        say(f"  → {_line(reminder)}")


def pin(
    source: Source,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The words, or the id of a message (m12).")],
    kind: Annotated[
        str,
        typer.Option("--kind", metavar="K", help="decision, requirement, instruction, constraint, preference, custom."),
    ] = "custom",
    reason: Annotated[str, typer.Option("--reason", metavar="R", help="Why it matters.")] = "",
    scope: Annotated[str, typer.Option("--scope", metavar="S", help="task, project or user.")] = "project",
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Keep words in every prompt from here on, never shortened."""
    from clew.cli.output import print_json, say

    with _stored(source, store) as session:
        words = {"message": text} if _is_message(text, session) else {"text": text}
        item = session.pin(**words, kind=kind, reason=reason, scope=scope)
    print_json({"pins": [as_dict(item)]}) if as_json else say(f"{item.id} {item.kind}: {_line(item.text)}")


def pins(
    source: Source,
    kind: Annotated[str | None, typer.Option("--kind", metavar="K", help="Only of this kind.")] = None,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Critical items: what must never fade."""
    from clew.cli.output import print_json, say

    with session_of(source, store) as session:
        found = session.pins(kind)
    if as_json:
        print_json({"pins": [as_dict(item) for item in found]})
        return
    for item in found:
        state = "" if item.is_in_force else " (proposed)"
        say(f"{item.id:<4} {item.kind:<12} {item.source or item.by:<8} {_line(item.text)}{state}")
    if not found:
        say("no critical items")


def unpin(
    source: Source,
    id: Annotated[str, typer.Argument(metavar="ID", help="The item, such as p3.")],
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Let a critical item go; it stays in the record."""
    from clew.cli.output import print_json, say

    with _stored(source, store) as session:
        session.unpin(id)
    print_json({"unpinned": id}) if as_json else say(f"{id} is no longer critical")


def as_dict(item: Item) -> dict[str, Any]:
    """An item with its documented keys."""
    names = ("id", "kind", "text", "reason", "source", "by", "scope", "created", "supersedes", "state")
    return {name: getattr(item, name) for name in names}


def _stored(source: str, store: str | None) -> Any:
    from clew.errors import UsageError

    if is_read(source):
        raise UsageError(f"{source} is only read; `clew import` it, and pin in the stored session")
    return session_of(source, store)


def _is_message(text: str, session: Session) -> bool:
    return text[:1] == "m" and text[1:].isdecimal() and 0 < int(text[1:]) <= session.info.messages


_LINE_CHARS = 160


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LINE_CHARS else line[: _LINE_CHARS - 1] + "…"
