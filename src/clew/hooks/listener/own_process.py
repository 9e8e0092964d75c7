"""The listener that a hook starts where no `clew mcp` runs; its arguments are STORE, CLIENT and TRANSCRIPT.

There is one for each store and its settings. It listens before it loads anything, loads what it needs at the first
event, or when no server has come by then, and leaves by itself: when a server listens, when it had nothing to do for
some minutes, when all is paused, when its socket is gone, and when the store cannot be read. It may be killed at any
time.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache

from clew.hooks.journal import log
from clew.hooks.listener.server import IDLE_SECONDS, HookListener
from clew.hooks.listener.sockets import OWN, SERVER, ensure_folder, place_of, running_listeners, sockets_folder
from clew.hooks.quick_settings import listener_minutes, store_place
from clew.hooks.switch import is_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from apsw import Connection

    from clew.engine.engine import Engine

#: A client starts its server and its first hook together; until it listens, the server needs seconds, and many of them
#: on a busy machine.
_SERVER_SECONDS = 30.0


def main(store: str, client: str, transcript: str) -> None:
    """Listens until there is nothing more to do."""
    place, minutes = place_of(store), listener_minutes()
    if not place or not ensure_folder() or (lock := _hold_place(place)) is None:
        return
    listener = HookListener(_opener(store_place(store)), place=place, kind=OWN)
    listener.watch(client, transcript)
    if not listener.start():
        return
    os.chdir(sockets_folder())  # the client's folder can be removed
    try:
        _stay(listener, place, seconds=minutes * 60)
    finally:
        listener.close()
        lock.close()


def _hold_place(place: str) -> Connection | None:
    """Takes what only one process can have, until it ends, however it ends; None where another has it. SQLite locks
    files on every system."""
    import apsw

    try:
        lock = apsw.Connection(os.path.join(sockets_folder(), f"{place}.lock"))  # noqa: PTH118
        lock.execute("begin exclusive")
    except apsw.Error:
        return None
    return lock


def _opener(store: str) -> Callable[[], Engine]:
    """What opens the engine, once, with the settings of the folder in which the hook was started."""
    here = os.getcwd()  # noqa: PTH109

    @cache
    def open_engine() -> Engine:
        from pathlib import Path

        from clew import config
        from clew.app import open
        from clew.domain.sessions import DEFAULT_USER

        settings = config.load(is_command=True, cwd=Path(here), store=store)
        engine = open(store, config=settings, person=DEFAULT_USER, settings={"models.embedder": "none"})
        engine.reads_on = False
        return engine

    return open_engine


def _stay(listener: HookListener, place: str, *, seconds: float) -> None:
    from clew.foreground import enter_background

    enter_background()
    began = worked = time.monotonic()
    events = 0
    while not is_paused() and os.path.exists(listener.path) and not running_listeners(place, SERVER):  # noqa: PTH110
        time.sleep(IDLE_SECONDS)
        now, is_asked = time.monotonic(), listener.events > events
        events = listener.events
        is_loaded = events > 0 or now - began > _SERVER_SECONDS
        if (is_loaded and listener.use_idle_time()) or is_asked:
            worked = now
        if now - worked > seconds:
            return


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except BaseException as error:  # nobody waits for it; the next hook may start another
        log("listener", f"{type(error).__name__}: {error}")
