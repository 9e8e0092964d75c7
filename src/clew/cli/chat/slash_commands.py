"""What a person types in a chat beside words for the model: /pins, /compact and so on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clew.cli.output import say
from clew.errors import UsageError

if TYPE_CHECKING:
    from clew.engine.session import Session


def run_command(session: Session, line: str) -> bool:
    """Runs what a line that begins with / asks for, and returns whether the chat goes on. Raises a ClewError for what
    cannot be done.
    """
    name, _, rest = line[1:].strip().partition(" ")
    if name == "quit":
        return False
    if name not in _COMMANDS:
        raise UsageError(f"no command /{name}; /help lists them")
    _COMMANDS[name](session, rest.strip())
    return True


def _compact(session: Session, rest: str) -> None:
    from clew.cli.compaction import report

    words = rest.replace(",", "").split()
    budget = int(words.pop()) if words and words[-1].isdecimal() else None
    done = session.compact(" ".join(words) or "auto", budget=budget)
    report(replace(done, undo="/undo" if done.undo else ""), session.limit())


def _undo(session: Session, _rest: str) -> None:
    session.undo()
    say("the last compaction is taken back")


def _pins(session: Session, _rest: str) -> None:
    from clew.cli.critical_items.pins import item_line

    for item in session.pins():
        say(item_line(item))
    if not session.pins():
        say("no critical items")


def _drift(session: Session, topic: str) -> None:
    from clew.cli.drift import show_drift

    show_drift(session.drift(topic or None))


def _recall(session: Session, ids: str) -> None:
    if not ids:
        raise UsageError("/recall takes an id, such as m3 or x2")
    for part in session.recall(ids.split(), for_person=True):
        say(part.text)


def _save(session: Session, file: str) -> None:
    from clew.cli.session_export import export_session

    if not file:
        raise UsageError("/save takes the file to write, such as chat.jsonl")
    if Path(file).exists():
        raise UsageError(f"{file} is there already; name another file")
    export_session(session, "clew", Path(file), unmasked=False, as_json=False)


def _help(_session: Session, _rest: str) -> None:
    for name, what in _HELP.items():
        say(f"{name:<28} {what}")


_HELP = {
    "/compact [STRATEGY] [BUDGET]": "move older messages to smaller sizes; every word stays readable",
    "/undo": "take the last compaction back",
    "/pins": "list what every prompt states",
    "/drift [TOPIC]": "show broken rules, contradictions and topic drift",
    "/recall ID …": "show a message (m3), an exchange (x2) or an output (b…) whole",
    "/save FILE": "write the session as lines that `clew import` reads, with secrets masked",
    "/help": "show this list",
    "/quit": "end the chat; so does ctrl-d",
}
_COMMANDS: dict[str, Callable[[Session, str], None]] = {
    "compact": _compact,
    "undo": _undo,
    "pins": _pins,
    "drift": _drift,
    "recall": _recall,
    "save": _save,
    "help": _help,
}
