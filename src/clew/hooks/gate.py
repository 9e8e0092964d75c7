"""The first look at an event: most of those that come often need no answer, and that must cost next to nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.hooks.event import Event

#: A shorter output is not worth a second look; about a thousand tokens.
LEAST_OUTPUT_CHARS = 4_000
#: A shorter prompt ("yes, go on") refers to nothing but what was said just before.
LEAST_PROMPT_CHARS = 16
#: A session that begins anew has lost nothing yet.
_SOURCES = frozenset({"compact", "resume", "fork"})


def is_worth_asking(event: Event) -> bool:
    """Returns False for an event that certainly has no answer."""
    if event.name == "UserPromptSubmit":
        prompt = event.text("prompt").strip()
        is_first = not os.path.exists(event.transcript)  # noqa: PTH110
        return len(prompt) >= LEAST_PROMPT_CHARS and not prompt.startswith("/") and not is_first
    if event.name == "PostToolUse":
        return _chars(event.value("tool_response")) >= LEAST_OUTPUT_CHARS
    return event.name != "SessionStart" or event.text("source") in _SOURCES


def _chars(value: object) -> int:
    """How many characters a tool's response has, however it is shaped."""
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_chars, inner))
