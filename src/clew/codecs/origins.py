"""Whose words a message holds, judged by its role and its parts."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Origin, Output, Part, Role
from clew.text.injected_text import is_injected

#: How Claude Code begins the summary that a compacted session goes on with.
CONTINUATION_START = "This session is being continued from a previous conversation"


def origin_of(role: Role, parts: Sequence[Part]) -> Origin:
    """Whose words a message holds, where its format says no more than the role.

    Clients send their reminders in the user's name; a message without one word of a person is theirs.
    """
    if role is not Role.USER:
        return {Role.SYSTEM: Origin.SYSTEM, Role.ASSISTANT: Origin.MODEL}.get(role, Origin.TOOL)
    answers = any(isinstance(part, Output) for part in parts)
    if answers and all(isinstance(part, Output) for part in parts):
        return Origin.TOOL
    if is_injected(parts):
        return Origin.TOOL if answers else Origin.CLIENT
    return Origin.PERSON
