"""Branches of a session: sessions beside it, for conversations that were begun while its own was under way.

Their ids are that of the session with a number, ``talk.2``, ``talk.3``, or with a name, ``talk.handoff``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, takewhile

from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.session import Session

#: What a branch takes over from its session's row.
_TAKEN_OVER = ("client", "cwd", "project", "model", "window", "named")


def branches_of(session: Session) -> list[Session]:
    """Returns the branches of a session that are stored, in order."""
    return [Session(session._factory, place) for place in takewhile(lambda place: place.is_stored, _places(session))]


def new_branch(session: Session, *, with_history: bool) -> Session:
    """Returns a new branch: a copy of the session, or an empty one with its system prompt.
    Emits ``session.branched``.
    """
    place = next(place for place in _places(session) if not place.is_stored)
    made = session.fork(place.id) if with_history else Session(session._factory, place)
    session._components.prompts.system.hand_over(made._components.prompts.system)
    session._services.events.emit("session.branched", session=session.id, branch=made.id)
    return made


def note_use(session: Session) -> None:
    """Notes that a caller in this process has sent a list of the session."""
    session._factory.in_use.add(session.info.key)


def is_in_use(session: Session) -> bool:
    """Returns True if a caller in this process has sent a list of the session."""
    return session.info.key in session._factory.in_use


def has_branch(session: Session, name: str) -> bool:
    """Returns True if the branch of a name is stored."""
    return _ledger(session, f"{session.id}.{name}").is_stored


def named_branch(session: Session, name: str) -> Session:
    """Returns the branch of a name; it is empty at first, with the session's system prompt.
    Emits ``session.branched`` where it is new.
    """
    place = _ledger(session, f"{session.id}.{name}")
    made, is_new = Session(session._factory, place), not place.is_stored
    if is_new:
        session._components.prompts.system.hand_over(made._components.prompts.system)
        session._services.events.emit("session.branched", session=session.id, branch=place.id)
    return made


def _places(session: Session) -> Iterator[SessionLedger]:
    """Ledgers of the ids that branches have."""
    return (_ledger(session, f"{session.id}.{number}") for number in count(2))


def _ledger(session: Session, id: str) -> SessionLedger:
    ledgers, info = session._factory.ledgers, session.info
    ledger = ledgers.open(id, user=info.key.user)
    if ledger.is_stored:
        return ledger
    return ledgers.open(id, user=info.key.user, about={name: getattr(info, name) for name in _TAKEN_OVER})
