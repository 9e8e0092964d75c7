"""Finds where a history may be cut so that everything after the cut fits word for word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.domain import Message
from clew.history.repair.rules import safe_cuts

#: Share of the room that the newest messages may take word for word.
TAIL_SHARE = 0.2


def earliest_cut_that_fits(messages: Sequence[Message], size: Callable[[Message], int], room: int) -> int:
    """Returns the earliest safe cut after which everything fits; the end when not even the last step does."""
    best, total, at = len(messages), 0, len(messages)
    for cut in reversed(safe_cuts(messages)):
        total += sum(map(size, messages[cut:at]))
        at = cut
        if total > room:
            break
        best = cut
    return best


def newest_step_start(messages: Sequence[Message]) -> int:
    """Returns the index at which the newest step begins: the last safe cut before the end."""
    return next((cut for cut in reversed(safe_cuts(messages)) if cut < len(messages)), 0)


def cut_keeping(messages: Sequence[Message], keep: int) -> int:
    """Returns where the newest messages begin, so many of them at least, at the border of a step."""
    wanted = [at for at in safe_cuts(messages) if at <= len(messages) - keep]
    return wanted[-1] if wanted else 0
