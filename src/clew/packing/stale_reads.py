"""Stale reads: outputs of reads whose lines were read again, or whose file was changed since."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain import Message
from clew.text.tools.actions import ActionKind
from clew.text.tools.calls import call_actions

_ALL = (1, 1 << 30)


def stale_reads(messages: Sequence[Message]) -> frozenset[str]:
    """Returns the ids of calls whose outputs show a file as it no longer is, or as a later output shows it again."""
    stale: set[str] = set()
    shown: dict[str, list[tuple[str, tuple[int, int]]]] = {}
    for call in (call for message in messages for call in message.calls):
        for action in call_actions(call):
            if not action.path:
                continue
            known = shown.setdefault(action.path, [])
            if action.kind.changes_files:
                stale.update(id for id, _ in known)
                known.clear()
            elif action.kind is ActionKind.READ:
                lines = action.lines or _ALL
                again = [one for one in known if _is_within(one[1], lines)]
                stale.update(id for id, _ in again)
                shown[action.path] = [one for one in known if one not in again] + [(call.id, lines)]
    return frozenset(stale)


def _is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]
