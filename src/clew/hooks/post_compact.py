"""After a client has compacted. The text that mends the summary is added when the session goes on (SessionStart), so
nothing is said here: it would be said twice.
"""

from __future__ import annotations

from clew.engine.session import Session
from clew.hooks.event import Event
from clew.hooks.session_access import SessionAccess


def answer(_event: Event, _session: Session, _access: SessionAccess) -> str:
    """Returns nothing; the store has caught up."""
    return ""
