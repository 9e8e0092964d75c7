"""Before a client compacts: what its summariser must not lose. Claude Code adds it to its instructions; Codex takes
none from a hook, so there the store only catches up.

After a compaction by hand Claude Code shows these words to the user, and they stand in the context from then on: so
they are few, and what mends the summary does not say them again. After one of its own they are gone.
"""

from __future__ import annotations

from clew.engine.session import Session
from clew.hooks.deliveries import INSTRUCTIONS, keep_text
from clew.hooks.event import Event
from clew.hooks.session_access import SessionAccess
from clew.hooks.summary_needs import summary_needs

#: What a person reads, and what the next requests carry on.
_MOST_CHARS = 2_000
_HEAD = "Of what the record of this session shows, the summary must keep:"
_TAIL = (
    "Keep ids, branches, commands, error messages, values and reasons exactly as they are; say that something is done"
    " only where a result shows it."
)


def answer(event: Event, session: Session, _access: SessionAccess) -> str:
    """Returns the instructions for the summariser as plain text."""
    if event.client != "claude-code":
        return ""
    room = _MOST_CHARS - len(_HEAD) - len(_TAIL) - 5
    needs = summary_needs(session, asked=event.text("custom_instructions"), limit=room)
    text = f"{_HEAD}\n\n{needs}\n\n{_TAIL}\n" if needs else ""
    keep_text(INSTRUCTIONS, event.session, text if event.text("trigger") == "manual" else "")
    return text
