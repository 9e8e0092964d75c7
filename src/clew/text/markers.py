"""Marks that only Clew writes, and texts of others in which something could pass for one.

A marker begins with an opening bracket, the word ``clew`` and a colon. No tool may say that, so in text of tools the
word becomes ``tool``: same length, plain to see.
"""

from __future__ import annotations

import re

#: What a reader cannot see between two letters: a marker written with these looks like one.
UNSEEN = (
    r"[\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff]"
    r"{0,8}"
)
#: Letters in both cases by hand: ignoring case for the whole pattern makes the search five times slower.
_WORD = UNSEEN + UNSEEN.join(("[cC]", "[lL]", "[eE]", "[wW]")) + UNSEEN + "([:：﹕꞉])"
MARKER_OPENING = re.compile(r"([\[［【〔⟦])" + _WORD)
#: The same for texts without the rarer brackets, which are nearly all: a pattern that begins with one letter is
#: searched for many times faster.
_PLAIN_OPENING = re.compile(r"(\[)" + _WORD)
_RARE_BRACKETS = "［【〔⟦"


def neutralise_markers(text: str) -> str:
    """The text with nothing in it that could be taken for a marker of ours; never longer than it was."""
    is_plain = text.isascii() or not any(bracket in text for bracket in _RARE_BRACKETS)
    return (_PLAIN_OPENING if is_plain else MARKER_OPENING).sub(r"\1tool\2", text)
