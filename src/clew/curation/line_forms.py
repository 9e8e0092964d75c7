"""Forms of log lines: what lines have in common that differ in a name or a number.

A line is compared with forms of as many words that begin alike, and with a bounded number of these, so that a log of
any content takes time in proportion to its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from operator import eq

from clew.curation.lines import template

#: What stands where lines of one form differ.
VARIABLE = "<*>"
#: Words at the beginning that lines of one form share; the last word of a line is never among them.
_SAME_FIRST_WORDS = 2
#: Words that a line must share with a form to be of it.
_MIN_SHARED = 0.5
#: Forms of one beginning that a line is compared with: comparing is what takes time.
_MAX_COMPARED = 12


class LineForms:
    """Forms of the lines that were counted, and how often each came."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self._words: list[list[str]] = []
        self._of_line: dict[str, int] = {}
        self._of_beginning: dict[tuple[int | str, ...], list[int]] = {}

    def count(self, line: str) -> int:
        """The number of the line's form, which now came once more."""
        plain = template(line)
        form = self._of_line.get(plain)
        if form is None:
            form = self._of_line[plain] = self._find_or_add(plain.split())
        self.counts[form] += 1
        return form

    def text(self, form: int) -> str:
        """The form's words, with a mark for each that differs from line to line."""
        return " ".join(self._words[form])

    def _find_or_add(self, words: list[str]) -> int:
        known = self._of_beginning.setdefault(_beginning(words), [])
        nearest = max(known, key=lambda form: self._count_shared(form, words), default=None)
        if nearest is not None and self._count_shared(nearest, words) >= _MIN_SHARED * len(words):
            self._words[nearest] = _in_common(self._words[nearest], words)
            return nearest
        self._words.append(words)
        if len(known) < _MAX_COMPARED:
            known.append(len(self._words) - 1)
        return len(self._words) - 1

    def _count_shared(self, form: int, words: Sequence[str]) -> int:
        """Words that are the same; a mark is the same as a mark, where both have a number."""
        return sum(map(eq, self._words[form], words))


def _in_common(form: Sequence[str], words: Sequence[str]) -> list[str]:
    return [word if word == other else VARIABLE for word, other in zip(form, words, strict=True)]


def _beginning(words: Sequence[str]) -> tuple[int | str, ...]:
    """What lines of one form share: how many words, and the first of them, whatever numbers they hold."""
    first = words[: min(_SAME_FIRST_WORDS, len(words) - 1)]
    return (len(words), *(VARIABLE if VARIABLE in word or any(map(str.isdigit, word)) else word for word in first))
