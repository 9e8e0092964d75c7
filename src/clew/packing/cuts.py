"""Finds where a history may be cut so that everything after the cut fits word for word. ``cuts`` are those that are
safe, in order: whoever asks several times looks for them once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from clew.domain import Message

#: Share of the room that the newest messages may take word for word.
TAIL_SHARE = 0.2


def earliest_cut_that_fits(
    messages: Sequence[Message], cuts: Sequence[int], size: Callable[[Message], int], room: int
) -> int:
    """Returns the earliest safe cut after which everything fits; the end when not even the last step does."""
    best, total, at = len(messages), 0, len(messages)
    for cut in reversed(cuts):
        total += sum(map(size, messages[cut:at]))
        at = cut
        if total > room:
            break
        best = cut
    return best


def newest_step_start(cuts: Sequence[int], end: int) -> int:
    """Returns the index at which the newest step begins: the last safe cut before the end."""
    return next((cut for cut in reversed(cuts) if cut < end), 0)


def cut_keeping(cuts: Sequence[int], end: int, keep: int) -> int:
    """Returns where the newest messages begin, so many of them at least, at the border of a step."""
    return next((cut for cut in reversed(cuts) if cut <= end - keep), 0)
