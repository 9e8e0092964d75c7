"""Replies that are still coming in by streams, and the moment at which those are recorded whose reader has gone."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from threading import local
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from weakref import WeakSet

from clew.domain import SessionKey
from clew.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class IncomingReply(Protocol):
    """A reply that is coming in."""

    @property
    def key(self) -> SessionKey:
        """The session that it belongs to."""
        ...

    @property
    def is_left(self) -> bool:
        """True once nobody reads on."""
        ...

    def break_off(self) -> None:
        """Records what has come. Nothing is raised."""
        ...


class _Thread(local):
    """How many operations of the engine are running in this thread, one inside the other."""

    depth = 0


class IncomingReplies:
    """The replies that are coming in, of all sessions of an engine.

    Whoever drops a stream may do so anywhere, as Python's garbage collector does it, so that nothing is recorded then:
    it is recorded before the next operation of its session or the engine begins, or when the engine is closed.
    """

    def __init__(self) -> None:
        self._open: dict[int, IncomingReply] = {}
        self._thread = _Thread()
        self._is_closed = False

    def add(self, reply: IncomingReply) -> None:
        """Takes in a reply that begins to come."""
        _all.add(self)
        self._open[id(reply)] = reply

    def take(self, reply: IncomingReply) -> bool:
        """Takes a reply out. True for the first who asks: it is recorded once."""
        return self._open.pop(id(reply), None) is not None

    @contextmanager
    def operation(self, key: SessionKey | None) -> Iterator[None]:
        """The time of one operation of a session, or of the engine. Replies of it that were left are recorded before it
        begins, none within it.
        """
        self.record_left(key)
        self._thread.depth += 1
        try:
            yield
        finally:
            self._thread.depth -= 1

    def record_left(self, key: SessionKey | None) -> None:
        """Records the replies of a session, or of all, that nobody reads on. Inside an operation it does nothing."""
        if self._open and not self._thread.depth:
            self._record([reply for reply in tuple(self._open.values()) if key in (None, reply.key) and reply.is_left])

    def close(self) -> None:
        """Records all that is still coming in. No more is taken in afterwards."""
        self._record(list(self._open.values()))
        self._is_closed = True

    def ensure_open(self) -> None:
        """Raises UsageError once the engine is closed, for what would otherwise be asked in vain."""
        if self._is_closed:
            raise UsageError("the engine has been closed; open it again")

    def _record(self, replies: list[IncomingReply]) -> None:
        self._thread.depth += 1
        try:
            for reply in replies:
                reply.break_off()
        finally:
            self._thread.depth -= 1


_all: WeakSet[IncomingReplies] = WeakSet()


@atexit.register
def _record_at_exit() -> None:
    """A program may end without closing its engines."""
    for replies in tuple(_all):
        replies.close()


def as_operation(method: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Makes a method an operation: replies that were left are recorded before it begins.

    Its object has the replies as ``_incoming``, and is of one session if it has a ledger.
    """

    @wraps(method)
    def operation(self: S, /, *args: P.args, **options: P.kwargs) -> R:
        owner: Any = self
        ledger = getattr(owner, "_ledger", None)
        with owner._incoming.operation(ledger.key if ledger else None):
            return method(self, *args, **options)

    return operation
