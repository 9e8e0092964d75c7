"""Answers events inside a process that runs anyway (`clew mcp`), so that a hook has not to load the engine."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Event as Flag
from threading import Thread

from clew.engine.engine import Engine
from clew.errors import ClewError
from clew.hooks.event import Event
from clew.hooks.journal import log
from clew.hooks.listener_client import SIZE_BYTES, read_frame, sockets_folder
from clew.hooks.program import answer_with
from clew.hooks.session_access import SessionAccess
from clew.hooks.switch import is_paused

#: The longest path that a socket may have on every system.
_MOST_PATH = 100
#: After so long without an event, what answers them is loaded and transcripts are followed; before, it would keep the
#: server's first answer waiting. Whether a new session was begun in the folder is looked up less often.
_IDLE_SECONDS, _LOOK_UP_TICKS = 1.0, 60
_LINE_SECONDS = 5.0
_ANSWERS = tuple(f"clew.hooks.{one}" for one in ("prompt_context", "smaller_output", "pre_compact", "session_start"))


class HookListener:
    """Listens on a socket of the user's own, from ``start`` to ``close``. Where it cannot, hooks work by themselves."""

    def __init__(self, engine: Engine, *, store: str) -> None:
        self._engine, self._store = engine, store
        self._closed = Flag()
        self._socket: socket.socket | None = None
        self._path = Path(sockets_folder()) / f"{os.getpid()}.sock"

    def start(self) -> None:
        """Begins to listen, in a thread of its own."""
        if not hasattr(socket, "AF_UNIX") or len(str(self._path)) > _MOST_PATH:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._socket.bind(str(self._path))
            self._socket.listen(8)
            self._socket.settimeout(_IDLE_SECONDS)
        except OSError as error:
            log("listener", str(error))
            return
        Thread(target=self._serve, args=(self._socket,), name="clew-hooks", daemon=True).start()

    def close(self) -> None:
        """Stops listening, and leaves nothing behind."""
        self._closed.set()
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            self._path.unlink(missing_ok=True)

    def _serve(self, listening: socket.socket) -> None:
        access, ticks = SessionAccess(self._engine), 0
        while not self._closed.is_set():
            try:
                line, _ = listening.accept()
            except TimeoutError:
                self._use_idle_time(access, ticks)
                ticks += 1
                continue
            except OSError:  # closed
                return
            with line:
                self._answer(line, access)

    def _use_idle_time(self, access: SessionAccess, ticks: int) -> None:
        try:
            if ticks == 0:
                _warm_up()
            if not is_paused():
                access.follow(Path.cwd() if ticks % _LOOK_UP_TICKS == 0 else None)
        except BaseException as error:  # nobody waits for this; native code may raise what is no Exception
            log("listener", f"{type(error).__name__}: {error}")

    def _answer(self, line: socket.socket, access: SessionAccess) -> None:
        line.settimeout(_LINE_SECONDS)
        try:
            asked = json.loads(read_frame(line))
            event = Event(asked["client"], asked["name"], asked["event"])
            said = {"answer": self._answered(event, (asked["store"], asked.get("user", "")), access)}
            data = json.dumps(said).encode("utf-8", "replace")
            line.sendall(len(data).to_bytes(SIZE_BYTES, "big") + data)
        except ConnectionError:  # whoever asked has stopped waiting, and says so in the log
            pass
        except BaseException as error:  # whoever asked works without an answer
            log("listener", f"{type(error).__name__}: {error}")

    def _answered(self, event: Event, place: tuple[str, str], access: SessionAccess) -> str | None:
        """What the hook prints; None where this process cannot say, and another may: one with another store, user or
        other folders, or the hook's own.
        """
        if place != (self._store, self._engine.config.user):
            return None
        try:
            return "" if is_paused() else answer_with(event, access)
        except ClewError:
            return None


def _warm_up() -> None:
    for name in (*_ANSWERS, "clew.curation.curator"):
        import_module(name)
