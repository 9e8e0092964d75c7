"""Presets of compaction: how much of a conversation is left, by how much may be sent.

What is left costs money at every call, and what is gone has to be read again. ``thrifty`` leaves as little as carrying
on needs; ``balanced`` leaves more where the window is larger; ``roomy`` leaves a good part of the window, and so does
``late``, which waits until the window is nearly full and then keeps mostly the newest work word for word. In a small
window all of them leave little, or the next epoch would begin a few turns later; each still leaves no less than the
one before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from clew.config import CompactionConfig

#: The most of what may be sent that is left by a preset that saves. 2,000 tokens more cost .02 to .03 of everything.
_MOST_SHARE = 0.35
#: The size that was the default before there were presets.
_ENOUGH = 8_500
#: Tokens for the root of each token that may be sent: 16,000 of 180,000, 36,000 of 900,000.
_PER_ROOT = 37.75
_ROOMY_SHARE, _LATE_SHARE = 0.3, 0.5
#: What ``roomy`` leaves where its share would be less than others leave, and the most share that is.
_ROOMY_ENOUGH, _ROOMY_MOST = 10_000, 0.4
#: Budgets up to this are small: what a turn retrieves is not carried on, or it would end epochs every few turns.
SMALL_BUDGET = 32_000


@dataclass(frozen=True, slots=True)
class Preset:
    """``target`` gives the tokens to aim for, of what may be sent; the newest messages may take the share ``verbatim``
    of them word for word.
    """

    target: Callable[[int], float]
    verbatim: float


PRESETS = {
    "thrifty": Preset(lambda limit: min(_ENOUGH, _MOST_SHARE * limit), verbatim=0.2),
    "balanced": Preset(lambda limit: min(max(_PER_ROOT * sqrt(limit), _ENOUGH), _MOST_SHARE * limit), verbatim=0.4),
    "roomy": Preset(lambda limit: min(max(_ROOMY_SHARE * limit, _ROOMY_ENOUGH), _ROOMY_MOST * limit), verbatim=0.6),
    "late": Preset(lambda limit: _LATE_SHARE * limit, verbatim=0.8),
}


def target_tokens(config: CompactionConfig, limit: int) -> int:
    """Returns the size that a compaction aims for where ``limit`` tokens may be sent: the one that was set, or that of
    the preset.
    """
    return config.target_tokens or max(int(PRESETS[config.preset].target(limit)), 1)
