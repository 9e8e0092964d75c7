"""The first look at an event: most of those that come often need no answer, and that must cost next to nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

    from clew.hooks.event import Event

#: A shorter output is not worth a second look; about a thousand tokens.
LEAST_OUTPUT_CHARS = 4_000
#: A shorter prompt ("yes, go on") refers to nothing but what was said just before.
LEAST_PROMPT_CHARS = 16
#: The text of each tool's result that may become smaller.
SHRINKING_TEXTS = {"Bash": "stdout", "Grep": "content"}
#: What stands in the file of a session that its client has summed up: before that, all is still before the model.
_SUMMARIES = {
    "claude-code": (b"isCompactSummary", b"This session is being continued from a previous conversation"),
    "codex": (b'"compacted"',),
}
#: A session that begins anew has lost nothing yet.
_SOURCES = frozenset({"compact", "resume", "fork"})


def is_worth_asking(event: Event) -> bool:
    """Returns False for an event that certainly has no answer."""
    if event.name == "UserPromptSubmit":
        prompt = event.text("prompt").strip()
        return len(prompt) >= LEAST_PROMPT_CHARS and not prompt.startswith("/") and is_summed_up(event)
    if event.name == "PostToolUse":
        return len(shrinking_text(event)) >= LEAST_OUTPUT_CHARS
    return not is_beginning(event)


def is_beginning(event: Event) -> bool:
    """Returns True for a session that begins anew."""
    return event.name == "SessionStart" and event.text("source") not in _SOURCES


def shrinking_text(event: Event) -> str:
    """Returns the text of a tool's result that may become smaller; empty for tools that have none."""
    result = event.value("tool_response")
    text = result.get(SHRINKING_TEXTS.get(event.text("tool_name"), "")) if isinstance(result, dict) else None
    return text if isinstance(text, str) else ""


def is_summed_up(event: Event) -> bool:
    """Returns True where the session's file holds a summary, or words like those of one; False for no file yet."""
    try:
        if not os.path.getsize(event.transcript):  # noqa: PTH202
            return False
        with open(event.transcript, "rb") as file, _map_file(file.fileno()) as data:  # noqa: PTH123
            return any(data.rfind(mark) >= 0 for mark in _SUMMARIES[event.client])
    except FileNotFoundError:
        return False


def _map_file(file: int) -> mmap:
    from mmap import ACCESS_READ, mmap

    return mmap(file, 0, access=ACCESS_READ)
