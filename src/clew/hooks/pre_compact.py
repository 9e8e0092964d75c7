"""Before a client compacts: what its summariser must not lose. Claude Code adds it to its instructions; Codex takes
none from a hook, so there the store only catches up.
"""

from __future__ import annotations

from clew.engine.session import Session
from clew.hooks.event import Event
from clew.hooks.session_access import SessionAccess
from clew.hooks.summary_needs import summary_needs

#: Less than Claude Code takes: after a compaction by hand these words stand in the context once more.
_MOST_CHARS = 7_000
_HEAD = "Of what the record of this session shows, the summary must keep:"
_TAIL = (
    "Keep ids of commits and pull requests, branches, commands with their environment, error messages, chosen values,"
    " reasons and rejected ways exactly as they are; say that something is done only where a result shows it."
)


def answer(event: Event, session: Session, _access: SessionAccess) -> str:
    """Returns the instructions for the summariser as plain text."""
    if event.client != "claude-code":
        return ""
    room = _MOST_CHARS - len(_HEAD) - len(_TAIL) - 5
    parts = summary_needs(session, asked=event.text("custom_instructions"), limit=room)
    return "\n\n".join([_HEAD, *parts, _TAIL]) + "\n" if parts else ""
