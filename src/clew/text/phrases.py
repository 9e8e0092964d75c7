"""Phrases as patterns: how wordings that people use become something to search sentences for.

All patterns are of RE2, which takes linear time whatever somebody pasted.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import re2

#: Where an order may begin: at the start, after a mark, after a small word.
ORDER_START = r"(?:^|[,;:(–—-]\s|\b(?:please|but|and|so|then|now|next|also|just|ok|okay|yes|no)[, ]+)"


def any_of(*wordings: str, start: str = r"\b", end: str = r"\b") -> str:
    """A pattern for one of the wordings, between what may stand before it and what may stand behind it."""
    return f"{start}(?:{'|'.join(wordings)}){end}"


@cache
def compile_once(pattern: str) -> Any:
    """A pattern compiled when first needed: most messages need few of them, and a hook has no time for the rest.

    Only for patterns that stand in the code: nothing is ever forgotten.
    """
    return re2.compile(pattern)


def has_match(pattern: str, text: str) -> bool:
    """Whether the pattern is found in a text, as it stands."""
    return compile_once(pattern).search(text) is not None


def compile_phrases(*patterns: str) -> Any:
    """One of the patterns, in any case; a straight apostrophe stands for a curly one too."""
    return re2.compile("(?i)" + "|".join(patterns).replace("'", "['’]"))
