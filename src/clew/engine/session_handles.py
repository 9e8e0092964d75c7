"""Several handles of one session: what they share, and another one of the same session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from clew.engine.read.unread_summary import UnreadSummary
from clew.engine.session import Session

T = TypeVar("T")


def other_handle(session: Session) -> Session:
    """Returns another handle of the same session, for another thread. The store is not read."""
    return Session(session._factory, session._ledger.for_other_thread())


def shared_object(session: Session, kind: type[T], *, make: Callable[[], T]) -> T:
    """Returns the object of a class that all handles of the session share; the first who asks makes it."""
    return session._factory.shared.get_or_make(session.key, kind, make=make)


def ask_for_same_system(session: Session, other: Session) -> None:
    """Makes a handle ask for its system prompt what another handle of the session asks."""
    session._components.prompts.system.ask_same(other._components.prompts.system)


@contextmanager
def steady(session: Session) -> Iterator[None]:
    """What is read of the session inside is read once, though others may record meanwhile."""
    with session._ledger.steady():
        yield


@contextmanager
def transaction(session: Session) -> Iterator[None]:
    """All that is done with the session inside is one unit: nobody else records meanwhile. Events come after it."""
    with session._services.events.held(), session._ledger.transaction():
        yield


def unread_summary(session: Session, *, after: int) -> UnreadSummary | None:
    """Returns the client's newest compaction behind a message number, if nobody can read its summary."""
    return session._reader.unread_summary(after=after)
