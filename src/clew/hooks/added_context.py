"""Text that a hook adds to a client's context, in the shape that clients expect."""

from __future__ import annotations

import json

#: Claude Code takes 10,000 characters from a hook; more would be cut anywhere.
MOST_CHARS = 9_500


def added_context(event_name: str, text: str) -> str:
    """Returns the JSON that adds a text; nothing for no text."""
    if not text.strip():
        return ""
    about = {"hookEventName": event_name, "additionalContext": clip_to_lines(text.strip())}
    return json.dumps({"hookSpecificOutput": about}, ensure_ascii=False)


def clip_to_lines(text: str, most: int = MOST_CHARS) -> str:
    """Returns as many whole lines as there is room for."""
    if len(text) <= most:
        return text
    return text[: text.rfind("\n", 0, most) + 1 or most].rstrip() + "\n[…]"
