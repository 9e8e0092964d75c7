"""After a tool has run: a smaller output for what is mostly noise, in the exact shape of that tool's result.

The whole is kept first, and the marker at its end says how to read it. Source that was read stays as it is.
"""

from __future__ import annotations

import json
from typing import Any

from clew.curation.markers import with_command
from clew.engine.session import Session
from clew.hooks.event import Event
from clew.hooks.gate import SHRINKING_TEXTS, shrinking_text
from clew.hooks.session_access import SessionAccess

_MOST_SHARE = 0.5
#: What the client shows in its own way: an image, and an output so large that only its beginning is sent anyway.
_LEFT = ("isImage", "persistedOutputPath")


def answer(event: Event, session: Session, _access: SessionAccess) -> str:
    """Returns the JSON that replaces the output; nothing unless at least half of it is saved."""
    tool, result, text = event.text("tool_name"), event.value("tool_response"), shrinking_text(event)
    if not text or any(map(result.get, _LEFT)):
        return ""
    given = event.value("tool_input")
    arguments: dict[str, Any] = given if isinstance(given, dict) else {}
    smaller = session.channels.shorten_output(text, tool=tool, arguments=arguments)
    if smaller is None or len(smaller) > len(text) * _MOST_SHARE:
        return ""
    shown = with_command(smaller, session.id)
    about = {"hookEventName": event.name, "updatedToolOutput": result | {SHRINKING_TEXTS[tool]: shown}}
    return json.dumps({"hookSpecificOutput": about}, ensure_ascii=False)
