"""Answers calls of the tool ``recall``, whichever client or framework they come from."""

from __future__ import annotations

import json
from threading import Lock
from typing import Any, cast

from clew.adapters.named_sessions import own_engine, session_of
from clew.adapters.recall_text import SCHEMA, recall_text
from clew.adapters.run_sessions import SessionChoice, UserChoice
from clew.adapters.session_state import SessionHandle
from clew.async_engine.engine import AsyncEngine, session_handle
from clew.async_engine.handle import AsyncHandle, unwrap_handle
from clew.domain import Json
from clew.engine.engine import Engine
from clew.engine.session import Session
from clew.engine.session_handles import other_handle
from clew.errors import UsageError


class RecallReader:
    """Answers calls of the tool, each from the session of its run; one at a time, in whatever thread it comes."""

    def __init__(self, choice: SessionChoice, user: UserChoice = None) -> None:
        self._choice, self._user, self._lock = choice, user, Lock()
        is_fixed = isinstance(choice, str | Session) or (
            isinstance(choice, AsyncHandle) and not isinstance(choice, AsyncEngine)
        )
        if not (is_fixed or choice is None or isinstance(choice, Engine | AsyncEngine) or callable(choice)):
            raise UsageError(f"session is a {type(choice).__name__}; give a session, its name, an engine or a function")
        named = user if isinstance(user, str) else None
        self._fixed = session_of(cast("SessionHandle | str", choice), named) if is_fixed else None

    def read(self, given: Any, *, run: Any = None, thread: str | None = None) -> str:
        """Returns what is read back for arguments as a model gave them, an object or JSON. Raises UsageError where the
        run does not tell which session it belongs to.
        """
        arguments = _known_arguments(given)
        with self._lock:
            handle = self._session(run, thread)
            if isinstance(handle, AsyncHandle):
                target, lane = unwrap_handle(handle)
                return lane.call(lambda: recall_text(target, **arguments))
            return recall_text(other_handle(handle), **arguments)

    @property
    def is_fixed(self) -> bool:
        """Whether every call is about one session."""
        return self._fixed is not None

    def _session(self, run: Any, thread: str | None) -> SessionHandle:
        if self._fixed is not None:
            return self._fixed
        user = self._user(run) if callable(self._user) else self._user
        if callable(self._choice):
            return session_of(self._choice(run), user)
        if not thread:
            raise UsageError("the run does not say which conversation it belongs to; give recall_tool a session")
        engine = own_engine() if self._choice is None else self._choice
        if isinstance(engine, AsyncEngine):
            return session_handle(engine, thread, user=user)
        return cast("Engine", engine).session(thread, user=user)


def _known_arguments(given: Any) -> Json:
    """The arguments that the tool has, of what a model gave as an object or as JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except ValueError:
            given = {}
    return {name: given[name] for name in SCHEMA["properties"] if name in given} if isinstance(given, dict) else {}
