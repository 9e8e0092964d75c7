"""After a client has compacted. The text that mends the summary is added when the session goes on (SessionStart), so
nothing is said here: it would be said twice. That the prompt is short again is known at once, though the transcript
may tell of it only later.
"""

from __future__ import annotations

from clew.domain import ContextReport, Origin
from clew.engine.session import Session
from clew.hooks.event import Event
from clew.hooks.session_access import SessionAccess
from clew.tokens.counts import quick_count


def answer(event: Event, session: Session, _access: SessionAccess) -> str:
    """Returns nothing; the store has caught up."""
    newest = session.reader.recent_messages(1)
    if newest and newest[0].origin is not Origin.SUMMARY:
        session.channels.report(ContextReport(compacted=True, summary=quick_count(event.text("compact_summary"))))
    return ""
