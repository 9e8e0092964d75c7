"""The command health: shows how a session is doing, once or as it grows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.cli.figures import USED, limit_words, shows_tokens
from clew.cli.options import AsJson, FileFormat, SourceOrHere, StoreUrl
from clew.cli.output import colour_text, display_text, note, print_json, say, size
from clew.cli.sources import AUTO, choose, is_read, session_of, split_source
from clew.errors import UnreadableSource, UsageError
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.domain import Health

_WIDTH, _BAR = 46, 16
#: Columns that the frame of the box takes, and those that are left to its lines at least.
_FRAME, _LEAST_WIDTH = 4, 16
#: How long a session is left alone between two looks.
_POLL_SECONDS = 0.3


def health(
    source: SourceOrHere = "",
    fail_on: Annotated[
        str | None,
        typer.Option("--fail-on", metavar="STATE", help="Exit 1 at this level or worse: warning, critical."),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Show it again whenever it changes; ctrl-c ends it.")] = False,
    format: FileFormat = AUTO,
    as_json: AsJson = False,
    store: StoreUrl = None,
) -> None:
    """Show the health of a session.

    It shows how full the context is, whether rules are kept, and what to do.
    """
    from clew.cli.alerts import offer
    from clew.domain.health import HEALTH_LEVELS

    if fail_on not in (None, "warning", "critical"):
        raise UsageError(f"--fail-on takes warning or critical, not {fail_on!r}")
    if watch and fail_on:
        raise UsageError("--watch goes on until it is interrupted; --fail-on goes without it")
    if watch:
        _follow(source, store, format=format, as_json=as_json)
        return
    with session_of(source, store, format=format) as session:
        report = session.health()
        if as_json:
            print_json(asdict(report))
        else:
            _box(report)
            offer(session, source)
    if fail_on and HEALTH_LEVELS.index(report.health) >= HEALTH_LEVELS.index(fail_on):
        raise typer.Exit(1)


def _follow(source: str, store: str | None, *, format: str, as_json: bool) -> None:
    """Draws the box again whenever something changes, until interrupted; as JSON, one object a line."""
    import json
    import time

    from clew.text.secrets import mask_strings

    last: Health | None = None
    with _health_reader(source, store, format) as look:
        while True:
            report = look()
            if report is not None and report != last:
                print(json.dumps(mask_strings(asdict(report)), ensure_ascii=False)) if as_json else _box(report)
                sys.stdout.flush()
                last = report
            time.sleep(_POLL_SECONDS)


@contextmanager
def _health_reader(source: str, store: str | None, format: str) -> Iterator[Callable[[], Health | None]]:
    """Gives a look at the session as it is; a file is read on from where it was read to."""
    from clew.app import open

    if source == "-":
        raise UsageError("standard input cannot be watched; name a file or a session")
    if not is_read(source):
        with session_of(source, store, format=format) as session:
            yield session.health
        return
    path, wanted = split_source(source)
    if Path(path).exists() and not Path(path).is_file():
        raise UsageError(f"{path} is no file; name a session's file, or a stored session")
    if not Path(path).exists():
        note(f"clew: no file {path} yet; waiting for it")
    with open(":memory:") as engine:
        follower, said, id = engine.follow_file(path, format=format), "", ""

        def look() -> Health | None:
            nonlocal said, id
            try:
                if reports := follower.poll():
                    id = choose(reports, source, wanted).session
            except UnreadableSource as error:  # its first line may be half written: the next look reads it again
                if said != str(error):
                    said = str(error)
                    note(f"clew: {error}; waiting for more")
            return engine.session(id).health() if id else None

        yield look


def _box(health: Health) -> None:
    import shutil
    import textwrap

    filled = min(round(_BAR * health.utilization), _BAR)
    bar = "█" * filled + "░" * (_BAR - filled)
    numbers = f" ({size(health.tokens_used)}/{size(health.tokens_limit)})" if shows_tokens() else ""
    level = "high" if health.drift_score >= 0.6 else "medium" if health.drift_detected else "low"
    growth = [f"grows by {size(int(health.growth_rate))} tokens a reply"] if shows_tokens() else []
    growth += [f"about {pluralise(health.turns_left, 'reply')} left"] if health.turns_left is not None else []
    whose = limit_words(health.tokens_limit, health.limit_source, health.window)
    items = f"critical: {pluralise(health.critical_items, 'item')}"
    lines = {
        f"context health: {health.health}": health.health,
        f"{bar} {health.utilization:.0%}{numbers} {USED[health.used_source]}": window_level(health.utilization),
        whose: "",
        f"drift: {level} ({health.drift_score:.2f}) · {items}": _level(health.drift_score, 0.3, 0.6),
        " · ".join(growth): "",
    }
    lines.pop("", None)
    width = min(max(_WIDTH, *map(len, lines)), max(shutil.get_terminal_size().columns - _FRAME, _LEAST_WIDTH))
    say("┌" + "─" * (width + 2) + "┐")
    for line, how in lines.items():
        for row in textwrap.wrap(line, width, subsequent_indent="  "):
            sys.stdout.write(colour_text(display_text(f"│ {row:<{width}} │"), how) + "\n")
    say("└" + "─" * (width + 2) + "┘")
    for suggestion in health.suggestions:
        say(f"→ {suggestion}")
    for finding in health.findings:
        say(f"! {finding}")


def window_level(share: float) -> str:
    """Returns how a window is that is full to this share: good, warning or critical."""
    return _level(share, 0.7, 0.9)


def _level(value: float, warning: float, critical: float) -> str:
    return "critical" if value >= critical else "warning" if value >= warning else "good"
