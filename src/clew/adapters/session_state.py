"""What the adapters of a process know of one session: they share it, whichever handle of the session each was given.
What it may send are outlines, which a caller's list is compared with.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from clew.adapters.alignment import KnownList, Outline, outline
from clew.async_engine.handle import AsyncHandle, unwrap_handle
from clew.async_engine.worker import Lane
from clew.domain import Message
from clew.engine.session import Session
from clew.engine.session_handles import other_handle, shared_object
from clew.errors import UsageError

T = TypeVar("T")
#: A session, or one whose methods are awaited.
SessionHandle = Session | AsyncHandle[Session]
#: What a session weighs without a message: 50 KB.
_OWN_WEIGHT = 8


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

    @property
    def weight(self) -> int:
        """How many messages are kept of the session; by itself it takes as much as some."""
        return _OWN_WEIGHT + self.view.kept

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


class SessionView:
    """The newest messages of a session's prompt view. They are read once, and as the session grows only what is new."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._state: tuple[float, int] | None = None
        self._messages, self._is_whole = 0, False
        self._outlines: list[Outline] = []

    @property
    def state(self) -> tuple[float, int, int]:
        """What moves whenever the messages of the session do."""
        info = self._session.info
        return info.created, info.version, info.messages

    @property
    def kept(self) -> int:
        """How many messages are kept."""
        return len(self._outlines)

    def newest(self, count: int | None = None) -> list[Outline]:
        """Returns the newest ``count`` messages as far as there are so many; None asks for all."""
        info = self._session.info
        if self._state != (info.created, info.version) or self._messages > info.messages:
            self._state, self._outlines, self._is_whole = (info.created, info.version), [], False
        elif new := info.messages - self._messages:
            self._extend([outline(message) for message in self._recent(new + 1)])
        self._messages = info.messages
        if not self._is_whole and (count is None or len(self._outlines) < count):
            self._read(info.messages if count is None else count)
        return self._outlines[0 if count is None else max(len(self._outlines) - count, 0) :]

    def _extend(self, last: list[Outline]) -> None:
        """Puts the last ones in place of those that were; the one before them may have grown."""
        places = (at for at in reversed(range(len(self._outlines))) if self._outlines[at].id == last[0].id)
        del self._outlines[next(places, len(self._outlines)) if last else len(self._outlines) :]
        self._outlines += last

    def _read(self, count: int) -> None:
        found = self._recent(count) if count else []
        self._outlines = [outline(one) for one in found]
        self._is_whole = len(found) < count or count >= self._messages

    def _recent(self, count: int) -> list[Message]:
        return self._session.reader.recent_messages(count, with_system=True)
