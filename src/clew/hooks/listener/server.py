"""Answers events inside a process that stays, so that a hook has not to load the engine: in `clew mcp`, which runs
anyway, or in one that hooks have started for themselves. Nothing is loaded here before it is needed.
"""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from threading import Event as Flag
from threading import Lock, Thread

from clew.hooks.event import Event
from clew.hooks.gate import is_beginning
from clew.hooks.journal import log
from clew.hooks.listener.client import AT_WORK, frame_message, read_frame
from clew.hooks.listener.sockets import ensure_folder, leave_folder, socket_path
from clew.hooks.switch import is_paused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clew.engine.engine import Engine
    from clew.hooks.session_access import SessionAccess

#: So many events are answered at once: one may wait for a long transcript.
_THREADS = 4
#: After so long without an event, what answers them is loaded and transcripts are followed; before, it would keep the
#: server's first answer waiting. Whether a new session was begun in the folder is looked up less often.
IDLE_SECONDS, _LOOK_UP_TICKS = 1.0, 60
_LINE_SECONDS = 5.0
_ANSWERS = tuple(f"clew.hooks.{one}" for one in ("prompt_context", "smaller_output", "pre_compact", "session_start"))


class HookListener:
    """Listens for those of one place, from ``start`` to ``close``. Where it cannot, hooks work by themselves.

    ``engine`` is asked for at the first event, or when there is time. ``events`` counts those that were answered.
    """

    def __init__(self, engine: Callable[[], Engine], *, place: str, kind: str) -> None:
        self._engine, self._access, self._loading = engine, None, Lock()
        self._closed, self._ticks, self._socket = Flag(), 0, None
        self._watched: list[tuple[str, str]] = []
        self.path, self.events = socket_path(place, kind) if place else "", 0

    _access: SessionAccess | None
    _socket: socket.socket | None

    def start(self) -> bool:
        """Begins to listen, in threads of its own; returns whether it does."""
        if not self.path or not ensure_folder():
            return False
        try:
            with suppress(FileNotFoundError):
                os.unlink(self.path)  # noqa: PTH108
            listening = self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listening.bind(self.path)
            os.chmod(self.path, 0o600)  # noqa: PTH101
            listening.listen(16)
            listening.settimeout(IDLE_SECONDS)
        except OSError as error:
            log("listener", str(error))
            return False
        for number in range(_THREADS):
            Thread(target=self._serve, args=(listening,), name=f"clew-hooks-{number}", daemon=True).start()
        return True

    def close(self) -> None:
        """Stops listening, and leaves nothing behind."""
        self._closed.set()
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()
            with suppress(FileNotFoundError):
                os.unlink(self.path)  # noqa: PTH108
            leave_folder()

    def watch(self, client: str, transcript: str) -> None:
        """Has a session followed from when its file is there."""
        if transcript:
            self._watched.append((client, transcript))

    def follow(self, folder: Path | None = None) -> None:
        """Follows transcripts from now on, in a thread of its own, that of a working folder among them."""
        Thread(target=self._follow, args=(folder,), name="clew-follow", daemon=True).start()

    def _follow(self, folder: Path | None) -> None:
        from clew.foreground import enter_background

        enter_background()
        while not self._closed.wait(IDLE_SECONDS):
            try:
                self.use_idle_time(folder)
            except BaseException as error:  # nobody waits for this; native code may raise what is no Exception
                log("listener", f"{type(error).__name__}: {error}")

    def use_idle_time(self, folder: Path | None = None) -> bool:
        """Loads what answers events, and catches up with transcripts. Returns whether there was anything new."""
        if self._ticks == 0:
            self._warm_up()
        is_due, self._ticks = self._ticks % _LOOK_UP_TICKS == 0, self._ticks + 1
        return not is_paused() and self._sessions().follow(folder if is_due else None)

    def _warm_up(self) -> None:
        from importlib import import_module

        for name in (*_ANSWERS, "clew.curation.curator"):
            import_module(name)

    def _sessions(self) -> SessionAccess:
        with self._loading:
            if self._access is None:
                from clew.hooks.session_access import SessionAccess

                self._access = SessionAccess(self._engine())
            while self._watched:
                self._access.watch(*self._watched.pop())
            return self._access

    def _serve(self, listening: socket.socket) -> None:
        while not self._closed.is_set():
            try:
                line, _ = listening.accept()
            except TimeoutError:
                continue
            except OSError:  # closed
                return
            with line:
                self._answer(line)

    def _answer(self, line: socket.socket) -> None:
        line.settimeout(_LINE_SECONDS)
        try:
            asked = json.loads(read_frame(line))
            event = Event(asked["client"], asked["name"], asked["event"])
            if is_beginning(event):  # nobody waits for an answer
                self.watch(event.client, event.transcript)
                self.events += 1
                return
            self.events += 1
            line.sendall(frame_message(AT_WORK))
            reply = {"answer": self._answer_event(event)}
            line.sendall(frame_message(json.dumps(reply).encode("utf-8", "replace")))
        except OSError:  # whoever asked has stopped waiting, and says so in the log
            pass
        except BaseException as error:  # whoever asked works without an answer
            log("listener", f"{type(error).__name__}: {error}")

    def _answer_event(self, event: Event) -> str | None:
        """What the hook prints; None where this process cannot say, and the hook itself may."""
        if is_paused():
            return ""
        from clew.errors import ClewError
        from clew.hooks.program import answer_with

        try:
            return answer_with(event, self._sessions())
        except ClewError:
            return None
