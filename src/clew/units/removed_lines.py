"""Lines that edits took out of files: whatever showed them before, they are no longer true."""

from __future__ import annotations

from collections.abc import Iterable

from clew.domain import Message
from clew.text.tools.calls import call_actions

#: Shorter lines (a brace, a word) stand in many places.
_MIN_CHARS = 12


def removed_lines(messages: Iterable[Message]) -> frozenset[str]:
    """Returns the lines that edits removed and nothing has put back since, without blanks around them."""
    removed: set[str] = set()
    for action in (action for message in messages for call in message.calls for action in call_actions(call)):
        for change in action.changes:
            new = _lines(change.new)
            removed |= _lines(change.old) - new
            removed -= new
        if action.content and removed:
            removed -= _lines(action.content)
    return frozenset(removed)


def without_removed(text: str, removed: frozenset[str]) -> str:
    """Returns the text without lines that were removed since."""
    if not removed:
        return text
    return "\n".join(line for line in text.split("\n") if line.strip() not in removed)


def _lines(text: str) -> set[str]:
    return {line for raw in text.splitlines() if len(line := raw.strip()) >= _MIN_CHARS}
