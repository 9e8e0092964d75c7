"""Text from anywhere, made safe to show on a terminal.

Tool outputs and files may hold sequences that move the cursor, recolour, retitle or fill the clipboard, and
marks that show text in another order than it is read. None of that gets through; all that is text does.
"""

from __future__ import annotations

import re

#: Strings to the terminal (titles, links, clipboard, device control). One that a line end or another escape
#: interrupts is not taken for a string, so that nobody can hide lines in it.
#: A new one inside it ends the search as well, or a run of beginnings would be searched again from each of them.
_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f\r\n]*(?:\x07|\x1b\\|\x9c)"
#: Colours, cursor movements and the like.
_SEQUENCE = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
#: Any other escape, and what is left of a broken one.
_ESCAPE = r"\x1b[ -/]*[0-~]?"
#: Controls but tab and line feed, overrides and marks of direction, halves of characters that cannot be printed.
_CHARACTER = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_SUSPECT = re.compile(_CHARACTER)
_UNSAFE = re.compile(rf"{_STRING}|{_SEQUENCE}|{_ESCAPE}|\r\n|{_CHARACTER}")


def safe(text: str) -> str:
    """The text without anything that a terminal would obey; plain text comes back as it is.

    Sequences and marks of direction go, other controls show as the picture of themselves (␀, ␍), and a line
    end of two characters becomes one.
    """
    return _UNSAFE.sub(_safe_form, text) if _SUSPECT.search(text) else text


def _safe_form(match: re.Match[str]) -> str:
    sequence = match[0]
    if sequence == "\r\n":
        return "\n"
    if sequence == "\x7f":
        return "␡"
    if sequence < " " and len(sequence) == 1 and sequence != "\x1b":
        return chr(0x2400 + ord(sequence))
    return "\ufffd" if "\ud800" <= sequence <= "\udfff" else ""
