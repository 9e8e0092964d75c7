"""Exact words: phrases that a query has in quotation marks, and whether a text says them, or the whole query, word for
word.

Capitals, line ends and blanks make no difference; nor do signs between words, unless a phrase in quotation marks has
some itself. A line that begins with a sign begins something else, such as the next row of a listing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A phrase in straight or typographic quotation marks, on one line.
_QUOTED = re.compile(r"\"([^\"\n]{1,500})\"|“([^”\n]{1,500})”|„([^“”\n]{1,500})[“”]|«([^»\n]{1,500})»")
_WORD = re.compile(r"\w+")
#: Stands between two words that are said one after the other.
_BETWEEN = r"(?:[^\w\n]+(?:\n\s*)?|\n\s*)"
#: A longer query is no phrase that anybody said.
_MAX_WORDS = 64


@dataclass(frozen=True, slots=True)
class ExactWords:
    """What a query asks for word for word: ``phrases``, in quotation marks as ``quoted`` has them together; or, without
    any, all of it.
    """

    quoted: str = ""
    phrases: tuple[re.Pattern[str], ...] = ()
    whole: re.Pattern[str] | None = None

    def __bool__(self) -> bool:
        return bool(self.phrases) or self.whole is not None

    def are_said(self, text: str) -> bool:
        """Returns True where the text has every phrase; or, of a query without any, all its words in their order."""
        wanted = self.phrases or ((self.whole,) if self.whole else ())
        return bool(wanted) and all(one.search(text) for one in wanted)


def exact_words(query: str) -> ExactWords:
    """Reads what a query asks for word for word."""
    quoted = [next(filter(None, found.groups())).strip() for found in _QUOTED.finditer(query)]
    quoted = [one for one in quoted if _WORD.search(one)]
    phrases = tuple(pattern for one in quoted if (pattern := _literal(one) if _has_signs(one) else _in_order(one)))
    return ExactWords(" ".join(quoted), phrases, _in_order(query))


def _has_signs(phrase: str) -> bool:
    return not all(_WORD.fullmatch(word) for word in phrase.split())


def _in_order(text: str) -> re.Pattern[str] | None:
    words = _WORD.findall(text)
    if not 0 < len(words) <= _MAX_WORDS:
        return None
    between = _BETWEEN.join(map(re.escape, words))
    return re.compile(rf"(?<!\w){between}(?!\w)", re.IGNORECASE)


def _literal(phrase: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(map(re.escape, phrase.split())), re.IGNORECASE)
