"""How full a window is, by figures that are kept of a session. It loads nothing else, for the status line."""

from __future__ import annotations

from math import ceil

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def tokens_in_use(usage: Mapping[str, Any], ratio: float) -> int:
    """Returns what the next prompt takes, by the fields of ``PromptUsage``: what was counted last, or what it was
    packed into, and what was recorded since, of which a token makes ``ratio`` at most; without either, all there is.
    """
    name = "counted" if usage["counted"] else "packed"
    since: int = usage["total"] - (usage[f"{name}_at"] if usage[name] else 0)
    return int(usage[name]) + ceil(max(since, 0) * ratio)


def is_limited_by_packs(usage: Mapping[str, Any]) -> bool:
    """Returns True where packs are made, within a budget. A prompt that was counted as larger was no pack."""
    return bool(usage["budget"]) and usage["counted"] <= usage["budget"]


def sendable_tokens(window: int, reserve: float) -> int:
    """Returns what may be sent: the window less the share that is kept for the answer."""
    return max(int(window * (1 - reserve)), 1)
