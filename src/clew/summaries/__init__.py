"""Summaries of what was said: by a model where there is one, and without it where there is none or it fails.

Promises a text that fits its room, keeps what must be kept and is never larger than what it stands for; each step down
the ladder is told. What to sum up, when, and where the text is kept is left to others.
"""

from clew.summaries.ladder import CARRY_SHARE, summarised
from clew.summaries.values import Cache, Degraded, Material, NoCache, Rung, Written

__all__ = ["CARRY_SHARE", "Cache", "Degraded", "Material", "NoCache", "Rung", "Written", "summarised"]
