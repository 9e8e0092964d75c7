"""Runs a hook or the status line as a client starts them. It fails open: whatever happens, the exit code is 0 and
nothing is printed that the client does not expect; a line in the log says what went wrong.

Half of all that a client waits for would be loading modules, so that everything is imported where it is needed.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.engine.session import Session
    from clew.hooks.event import Event
    from clew.hooks.session_access import SessionAccess

#: The module that answers an event, for each client: its ``answer`` takes event, session and access to more.
_STEADY = {"SessionStart": "session_start", "PreCompact": "pre_compact", "PostCompact": "post_compact"}
_QUICK = {"UserPromptSubmit": "prompt_context", "PostToolUse": "smaller_output"}
_KNOWN = {
    "claude-code": _STEADY | _QUICK | {"SubagentStop": "subagent_stop"},
    "codex": _STEADY | {"UserPromptSubmit": "prompt_context"},
}
#: Events that need no session; a listener answers all others where there is one.
LIGHT_EVENTS = frozenset({"SubagentStop"})


def run_hook(arguments: list[str]) -> None:
    """Answers the event on standard input: CLIENT EVENT, and the store if it is not the user's own."""
    who = " ".join(["hook", *arguments])
    _run(who, lambda: _hook(arguments))


def run_statusline(arguments: list[str]) -> None:
    """Prints the status line for what is on standard input."""
    _run("statusline", lambda: _status_line(arguments))


def _status_line(arguments: list[str]) -> str:
    from clew.hooks.statusline import keep_stated_window, status_line

    data, store = sys.stdin.buffer.read(), _store(arguments)[1]
    _print(status_line(data, store))
    keep_stated_window(data, store)
    return ""


def _run(who: str, answer: Callable[[], str]) -> None:
    try:
        from clew.hooks.switch import is_paused

        text = "" if is_paused() else answer()
        _print(text)
    except BaseException as error:  # a client must never break because of us, whatever it is
        from clew.hooks.journal import log

        log(who, f"{type(error).__name__}: {error}")
        _drop_output()


def _print(text: str) -> None:
    if text:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()


def _drop_output() -> None:
    """What could not be written must not be tried again when the process ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _hook(arguments: list[str]) -> str:
    from clew.hooks.event import MOST_BYTES, UnusableEvent, read_event

    names, store = _store(arguments)
    if len(names) != 2 or names[1] not in _KNOWN.get(names[0], ()):
        raise UnusableEvent(f"no such event; there are {_event_list()}")
    event = read_event(names[0], names[1], sys.stdin.buffer.read(MOST_BYTES + 1))
    return answer_event(event, store)


def answer_event(event: Event, store: str) -> str:
    """Returns what is printed for an event; empty for nothing."""
    from clew.hooks.gate import is_beginning, is_worth_asking

    if event.name in LIGHT_EVENTS:
        from clew.hooks.subagent_stop import answer

        return answer(event)
    if not is_worth_asking(event):
        if is_beginning(event):
            from clew.hooks.listener.client import announce

            announce(event, store)
        return ""
    from clew.hooks.listener.client import ask_listener

    answered = ask_listener(event, store)
    return answered if answered is not None else _answer_here(event, store)


def _answer_here(event: Event, store: str) -> str:
    """What is printed for an event, worked out in this process. Loading the encoder takes longer than all the rest:
    what a prompt refers to is found by words alone.
    """
    import gc

    gc.disable()  # nothing that is loaded will ever be garbage
    from clew.app import open
    from clew.domain.sessions import DEFAULT_USER
    from clew.hooks.session_access import SessionAccess

    gc.enable()
    with open(store or None, person=DEFAULT_USER, settings={"models.embedder": "none"}) as engine:
        engine.reads_on = False
        return answer_with(event, SessionAccess(engine))


def answer_with(event: Event, access: SessionAccess) -> str:
    """Returns what is printed for an event of a session that can be read; empty for nothing."""
    from importlib import import_module

    session = access.session_of(event, is_current=event.name != "PostToolUse")  # it is told its output as it is
    if session is None:
        return ""
    module = import_module(f"clew.hooks.{_KNOWN[event.client][event.name]}")
    answer: Callable[[Event, Session, SessionAccess], str] = module.answer
    return answer(event, session, access)


def _store(arguments: list[str]) -> tuple[list[str], str]:
    """Arguments without options, and the store that they name; the environment's otherwise."""
    from clew.environment import variable

    names, store = [], variable("CLEW_STORE")
    rest = iter(arguments)
    for word in rest:
        if word == "--store":
            store = next(rest, store)
        elif word.startswith("--store="):
            store = word.removeprefix("--store=")
        elif not word.startswith("-"):
            names.append(word)
    return names, store


def _event_list() -> str:
    return "; ".join(f"{client} {', '.join(events)}" for client, events in _KNOWN.items())
