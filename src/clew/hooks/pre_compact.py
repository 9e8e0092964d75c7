"""Before a client compacts: what its summariser must not lose. Claude Code adds it to its instructions; Codex takes
none from a hook, so there the store only catches up.
"""

from __future__ import annotations

from clew.engine.session import Session
from clew.hooks.added_context import clipped
from clew.hooks.event import Event
from clew.hooks.session_access import SessionAccess
from clew.hooks.work_lines import rule_lines, work_sections

#: Less than Claude Code takes: after a compaction by hand these words stand in the context once more.
_MOST_CHARS = 6_000
_HEAD = "Of what the record of this session shows, the summary must keep:"
_TAIL = (
    "Keep ids of commits and pull requests, branches, commands with their environment, error messages, chosen values,"
    " reasons and rejected ways exactly as they are; say that something is done only where a result shows it."
)


def answer(event: Event, session: Session, _access: SessionAccess) -> str:
    """Returns the instructions for the summariser as plain text."""
    if event.client != "claude-code":
        return ""
    rules = rule_lines(session)
    parts = ["Rules of the user, word for word:\n" + "\n".join(rules)] if rules else []
    parts += work_sections(session)
    return "\n\n".join([_HEAD, clipped("\n\n".join(parts), _MOST_CHARS), _TAIL]) + "\n" if parts else ""
