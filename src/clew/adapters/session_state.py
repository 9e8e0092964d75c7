"""What the adapters of a process know of one session: they share it, whichever handle of the session each was given."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from clew.adapters.alignment import KnownList
from clew.adapters.session_view import SessionView
from clew.async_engine.handle import AsyncHandle, unwrap_handle
from clew.async_engine.worker import Lane
from clew.engine.session import Session
from clew.engine.session_handles import other_handle, shared_object
from clew.errors import UsageError

T = TypeVar("T")
#: A session, or one whose methods are awaited.
SessionHandle = Session | AsyncHandle[Session]


class ModelCall:
    """One call of a model: ids of what it has brought into the session, and whether it failed.

    It may fail before what it asks has been packed, in another thread: it is the same one then.
    """

    def __init__(self) -> None:
        self.asked: set[str] = set()
        self.is_failed = False

    def fail(self) -> None:
        """Notes that no answer comes: what was asked leaves the prompt unless it is sent again."""
        self.is_failed = True


class SessionState:
    """One session as its callers' lists have left it. It has a handle of its own, which one call at a time may use."""

    def __init__(self, session: Session, lane: Lane | None) -> None:
        self.session, self.lane = other_handle(session), lane
        self.view = SessionView(self.session)
        #: The lists that were last given, by format.
        self.known: dict[str, KnownList] = {}
        #: Ids of the messages with which a new list was begun behind another one.
        self.begun: set[str] = set()
        self.last_call = ModelCall()
        #: Held while a list finds the branch it belongs to, and is recorded there.
        self.branching = Lock()
        self._turn = Lock()

    def take_turn(self, call: Callable[[], T]) -> T:
        """One call at a time; those of an asynchronous session in its lane."""
        with self._turn:
            return call() if self.lane is None else self.lane.call(call)


def behind_handle(session: SessionHandle) -> tuple[Session, Lane | None]:
    """Returns the session behind a handle, and the lane that alone may use it, if there is one."""
    return unwrap_handle(session) if isinstance(session, AsyncHandle) else (session, None)


def state_of(session: SessionHandle) -> SessionState:
    """Returns what all adapters of this process know of a session."""
    own, lane = behind_handle(session)
    return shared_object(own, SessionState, make=lambda: SessionState(own, lane))


def ensure_budget(budget: object) -> None:
    """Raises UsageError for a budget that is no number of tokens, when it is given and not at the first call."""
    is_number = isinstance(budget, int) and not isinstance(budget, bool) and budget > 0
    if budget is not None and not is_number:
        raise UsageError(f"budget must be a whole number of tokens, 1 or more, not {budget!r}")
