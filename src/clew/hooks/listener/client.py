"""Asks a listener for the answer to an event: a process that has everything loaded, and follows the transcript. Each
`clew mcp` is one; where none runs, a hook starts one for itself and those that follow.
"""

from __future__ import annotations

import os
import sys
import time

from clew.hooks.listener.sockets import ensure_folder, listeners, place_of
from clew.hooks.quick_settings import listener_minutes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

    from clew.hooks.event import Event

#: What an event is waited for. Those that come often take some 30 ms, and more is not worth it; the others come once
#: for hundreds of steps, and clients wait 20 seconds for them. A listener says at once that it is at work.
_SECONDS, _OFTEN_SECONDS, _HEARD_SECONDS = 16.0, 0.25, 2.0
#: A listener that was just started is waited for until it listens, and then until it has loaded what it needs.
_START_SECONDS, _LOADING_SECONDS = 3.0, 3.0
_POLL_SECONDS = 0.01
_OFTEN = frozenset({"UserPromptSubmit", "PostToolUse"})
_SIZE_BYTES = 8
#: The first frame of a listener, before its answer.
AT_WORK = b""


def ask_listener(event: Event, store: str) -> str | None:
    """Returns the answer, empty for none in time; None where nobody is at work on it."""
    place = place_of(store)
    known = listeners(place) if place else []
    answered = _first_answer(known, event, _OFTEN_SECONDS if event.name in _OFTEN else _SECONDS)
    if answered is not None or not place or (known and listeners(place)):
        return answered
    return _first_answer(
        _start_and_wait(event, store, place), event, _LOADING_SECONDS if event.name in _OFTEN else _SECONDS
    )


def announce(event: Event, store: str) -> None:
    """Tells a listener of a session that begins, so that it follows it. Nobody is waited for."""
    place = place_of(store)
    if place and not any(_is_told(path, event) for path in listeners(place)):
        _start(event, store)


def _first_answer(paths: list[str], event: Event, seconds: float) -> str | None:
    for path in paths:
        answered = _ask_listener(path, event, seconds)
        if answered is not None:
            return answered
    return None


def _ask_listener(path: str, event: Event, seconds: float) -> str | None:
    import json

    line = _send_event(path, event, seconds)
    if line is None:
        return None
    is_heard = False
    with line:
        try:
            line.settimeout(min(seconds, _HEARD_SECONDS))
            is_heard = read_frame(line) == AT_WORK
            line.settimeout(seconds)
            answer = json.loads(read_frame(line))
        except TimeoutError:
            return _give_up(event, is_heard=is_heard)
        except (OSError, ValueError):  # it was stopped at work
            return None
    return answer.get("answer") if isinstance(answer, dict) else None


def _is_told(path: str, event: Event) -> bool:
    line = _send_event(path, event, _OFTEN_SECONDS)
    if line is not None:
        line.close()
    return line is not None


def _send_event(path: str, event: Event, seconds: float) -> socket | None:
    """The line to a listener that has got an event; None where it does not take it."""
    import json
    import socket as sockets

    data = json.dumps({"client": event.client, "name": event.name, "event": event.as_dict()})
    line = sockets.socket(sockets.AF_UNIX, sockets.SOCK_STREAM)
    line.settimeout(seconds)
    try:
        line.connect(path)
        line.sendall(frame_message(data.encode("utf-8", "replace")))
    except OSError as error:
        line.close()
        if isinstance(error, ConnectionRefusedError):  # its process has gone
            os.unlink(path)  # noqa: PTH108
        return None
    return line


def _give_up(event: Event, *, is_heard: bool) -> str | None:
    """What was heard is still worked on, and nobody waits longer for an event that comes often; the others are worth
    the work of doing without a listener.
    """
    from clew.hooks.journal import log

    is_over = is_heard or event.name in _OFTEN
    end = "nothing was added" if is_over else "the hook answers by itself"
    log(f"hook {event.client} {event.name}", f"no answer in time; {end}")
    return "" if is_over else None


# ── starting one ─────────────────────────────────────────────────────────────────────────────────────


def _start_and_wait(event: Event, store: str, place: str) -> list[str]:
    """Starts a listener, and returns its socket as soon as it listens; nothing where it does not."""
    ended = _start(event, store)
    until = time.monotonic() + _START_SECONDS
    while ended is not None and time.monotonic() < until:
        is_ended = ended()
        if (running := listeners(place)) or is_ended:  # one that ends leaves it to another that was started meanwhile
            return running
        time.sleep(_POLL_SECONDS)
    return []


def _start(event: Event, store: str) -> Callable[[], bool] | None:
    """Starts a process that outlives this one, holds nothing of its client open, and follows the event's session.
    Returns what tells whether it has ended; None where none may or can be started.
    """
    if not sys.executable or not ensure_folder() or not listener_minutes():
        return None
    import subprocess

    arguments = (store, event.client, event.transcript)
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "clew.hooks.listener.own_process", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:  # processes may be forbidden here
        from clew.hooks.journal import log

        log(f"hook {event.client} {event.name}", f"no listener can be started: {error}")
        return None
    return lambda: process.poll() is not None


# ── the line ─────────────────────────────────────────────────────────────────────────────────────────


def frame_message(data: bytes) -> bytes:
    """Returns one message for the other side: eight bytes with its size, and its bytes."""
    return len(data).to_bytes(_SIZE_BYTES, "big") + data


def read_frame(line: socket) -> bytes:
    """Returns one message of the other side. Raises OSError for less."""
    size = int.from_bytes(_read(line, _SIZE_BYTES), "big")
    if size > 1 << 27:
        raise OSError("too long")
    return _read(line, size)


def _read(line: socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = line.recv(min(size - len(data), 1 << 16))
        if not piece:
            raise OSError("the other side has gone")
        data += piece
    return bytes(data)
