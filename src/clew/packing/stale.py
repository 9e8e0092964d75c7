"""Reads that a later step made stale: the same lines were read again, or the file was changed since."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Message
from clew.text.actions import actions
from clew.text.deeds import Deed

_ALL = (1, 1 << 30)


def stale_reads(messages: Sequence[Message]) -> frozenset[str]:
    """Ids of the calls whose outputs show a file as it no longer is, or as a later one shows it again."""
    stale: set[str] = set()
    shown: dict[str, list[tuple[str, tuple[int, int]]]] = {}
    for call in (call for message in messages for call in message.calls):
        for action in actions(call):
            if not action.path:
                continue
            known = shown.setdefault(action.path, [])
            if action.deed.changes_files:
                stale.update(id for id, _ in known)
                known.clear()
            elif action.deed is Deed.READ:
                lines = action.lines or _ALL
                again = [one for one in known if _within(one[1], lines)]
                stale.update(id for id, _ in again)
                shown[action.path] = [one for one in known if one not in again] + [(call.id, lines)]
    return frozenset(stale)


def _within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
