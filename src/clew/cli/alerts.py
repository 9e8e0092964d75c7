"""The alert: three choices for a session that fills up or drifts, offered on a terminal only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from clew.cli.output import say
from clew.cli.sources import is_read, split_source

if TYPE_CHECKING:
    from clew.domain import Alert
    from clew.engine.session import Session

_CHOICES = (
    "1. [Compact now]  make older parts smaller; nothing is lost, and it can be taken back",
    "2. [Show drift]   see which rules are broken, and where",
    "3. [Ignore]       go on; asked again only if it gets worse",
)


def offer(session: Session, source: str) -> None:
    """Shows the alert and asks for a choice. Does nothing without an alert, or when input or output is no terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    alert = session.monitor.alert()
    if alert is None:
        return
    _show(alert)
    _run_choice(_chosen(), session, source)


def _show(alert: Alert) -> None:
    say("")
    say(f"! the context is {alert.utilization:.0%} full" if alert.utilization >= 0.7 else "! the session drifts")
    for finding in alert.findings:
        say(f"  {finding}")
    for choice in _CHOICES:
        say(f"  {choice}")


def _chosen() -> str:
    """What was typed; nothing, or the end of the input, is no choice."""
    try:
        return input("1, 2 or 3? ").strip()
    except EOFError:
        return ""


def _run_choice(choice: str, session: Session, source: str) -> None:
    from clew.cli.compaction import report, with_undo_command
    from clew.cli.drift import show_drift

    if choice == "2":
        show_drift(session.drift())
    elif choice in {"1", "3"} and is_read(source):
        say(f"{source} is only read: `clew import {split_source(source)[0]}`, then `clew compact latest`")
    elif choice == "1":
        report(with_undo_command(session.compact(), source, session.id), session.limit())
    elif choice == "3":
        session.monitor.dismiss_alert()
        say("ignored until it gets worse")
