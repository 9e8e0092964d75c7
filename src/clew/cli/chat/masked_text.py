"""Text that is shown while it comes, without secrets and control characters."""

from __future__ import annotations

import re

from clew.text.secrets import mask
from clew.text.terminal import safe

#: Keys of several lines, which are known for what they are by both of their ends.
_KEY_BEGINS, _KEY_ENDS = "-----BEGIN ", re.compile(r"-----END [^\n-]*-----")
#: A key is no longer than this; more is not held back.
_KEY_CHARS = 20_000


class MaskedText:
    """Holds back what may still become a secret: the last word, and a key whose end has not come.

    Together, all that ``feed`` and ``close`` return is what would be shown of the whole.
    """

    def __init__(self) -> None:
        self._held = ""
        self._told = ""

    def feed(self, piece: str) -> str:
        """Returns what may be shown now."""
        self._held += piece
        key = _end_of_key(self._held)
        if key is None:
            return ""
        lines = self._held.rfind("\n") + 1
        if lines > key:
            out, key = self._take_until(lines), 0
        else:
            out = ""
        words = max(self._held.rfind(" "), self._held.rfind("\t")) + 1
        return out + self._more(self._held[: max(words, key)])

    def close(self) -> str:
        """Returns what is left."""
        return self._take_until(len(self._held))

    def _take_until(self, end: int) -> str:
        """The rest of what ends there. Nothing that follows changes it."""
        out = self._more(self._held[:end])
        self._held, self._told = self._held[end:], ""
        return out

    def _more(self, text: str) -> str:
        shown = mask(safe(text))
        same = next(
            (index for index, (new, old) in enumerate(zip(shown, self._told, strict=False)) if new != old), None
        )
        start = min(len(shown), len(self._told)) if same is None else same
        self._told = shown
        return shown[start:]


def _end_of_key(text: str) -> int | None:
    """Where the last key of several lines ends: 0 without one, None while its end has not come."""
    begins = text.rfind(_KEY_BEGINS)
    if begins < 0:
        return 0
    ended = _KEY_ENDS.search(text, begins)
    return ended.end() if ended else (None if len(text) - begins < _KEY_CHARS else 0)
