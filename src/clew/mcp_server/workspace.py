"""The workspace of the server: an engine for each user, their sessions, and the threads in which calls are answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TypeVar

import anyio.to_thread
from mcp.server.mcpserver.exceptions import ToolError

from clew.assistants.catch_up import CatchUp
from clew.domain.sessions import DEFAULT_USER
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.engine.session_handles import steady
from clew.errors import ClewError, NotFound, UsageError
from clew.mcp_server.request import Progress, hints, is_remote, roots, user_of_request
from clew.mcp_server.sessions import Asked, SessionFinder

T = TypeVar("T")


class Workspace:
    """Answers calls with the sessions of whoever calls. ``folder`` is that of callers who name none."""

    def __init__(self, engine: Engine, *, folder: Path | None = None) -> None:
        self._engine, self._folder = engine, folder or Path.cwd()
        self._finders: dict[str, tuple[Engine, SessionFinder]] = {}
        self._lock = Lock()

    async def on_session(self, name: str | None, job: Callable[[Session], T]) -> T:
        """Returns what a job returns for the session that is meant. It works in a thread of its own.

        Raises ToolError with what to do next for everything that the caller can do something about.
        """
        asked = await self._make_asked(name or "")
        return await self._in_thread(lambda: job(self._of_user()[1].find(asked)))

    async def on_reported_session(self, name: str | None, job: Callable[[Session], T]) -> T:
        """Like ``on_session``, for a session that nobody else reports: one that is not there yet is a new one, and one
        that has a transcript on this machine is refused.
        """
        asked = await self._make_asked(name or "")
        return await self._in_thread(lambda: job(self._of_user()[1].find_reported(asked)))

    async def read_session(self, name: str | None, job: Callable[[Session], T]) -> T:
        """Like ``on_session``, for a job that only reads, all of one state of the session."""

        def read(session: Session) -> T:
            with steady(session):
                return job(session)

        return await self.on_session(name, read)

    async def read_newest_session(self, job: Callable[[Session | None], T]) -> T:
        """Like ``read_session``, for a job that can do without: it gets None where no session is there, or several may
        be meant.
        """
        asked = await self._make_asked("")

        def read() -> T:
            try:
                found = self._of_user()[1].find(asked)
            except (NotFound, UsageError):
                return job(None)
            with steady(found):
                return job(found)

        return await self._in_thread(read)

    def engine(self) -> Engine:
        """Returns the engine of whoever calls; for jobs, in whose threads the caller is known."""
        return self._of_user()[0]

    async def on_engine(self, job: Callable[[Engine], T]) -> T:
        """Returns what a job returns for the engine of whoever calls."""
        return await self._in_thread(lambda: job(self._of_user()[0]))

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await anyio.to_thread.run_sync(work)
        except ClewError as error:
            raise ToolError(str(error)) from error

    async def _make_asked(self, name: str) -> Asked:
        progress = Progress("reading the transcript")
        if name:
            return Asked(name=name, folders=() if is_remote() else (self._folder,), progress=progress)
        found = tuple(await roots()) or (() if is_remote() else (self._folder,))
        return Asked(folders=found, hints=tuple(hints()), progress=progress)

    def _of_user(self) -> tuple[Engine, SessionFinder]:
        """The engine of the user who calls, and what finds their sessions. Transcripts are those of the user who runs
        the server: nobody else reads them.
        """
        own = self._engine.user or DEFAULT_USER
        user = user_of_request() or own
        with self._lock:
            if user not in self._finders:
                engine = self._engine.for_user(user)
                self._finders[user] = (engine, SessionFinder(engine, CatchUp(engine) if user == own else None))
            return self._finders[user]
