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


class Phrase:
    """Words in their order, as a regular expression. In ASCII, which most texts are, small letters are looked for: a
    search that leaves capitals to the expression takes eight times as long.
    """

    __slots__ = ("_any", "_small")

    def __init__(self, expression: str) -> None:
        self._any, self._small = re.compile(expression, re.IGNORECASE), re.compile(expression)

    def is_in(self, text: str) -> bool:
        """Returns True where the text says it."""
        match = self._small.search(text.lower()) if text.isascii() else self._any.search(text)
        return match is not None


@dataclass(frozen=True, slots=True)
class ExactWords:
    """What a query asks for word for word: ``phrases``, in quotation marks as ``quoted`` has them together; or, without
    any, all of it.
    """

    quoted: str = ""
    phrases: tuple[Phrase, ...] = ()
    whole: Phrase | None = None

    def __bool__(self) -> bool:
        return bool(self.phrases) or self.whole is not None

    def are_said(self, text: str) -> bool:
        """Returns True where the text has every phrase; or, of a query without any, all its words in their order."""
        wanted = self.phrases or ((self.whole,) if self.whole else ())
        return bool(wanted) and all(phrase.is_in(text) for phrase in wanted)


def exact_words(query: str) -> ExactWords:
    """Reads what a query asks for word for word."""
    quoted = [next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(query)]
    quoted = [one for one in quoted if _WORD.search(one)]
    phrases = tuple(phrase for one in quoted if (phrase := _literal(one) if _has_signs(one) else _in_order(one)))
    return ExactWords(" ".join(quoted), phrases, _in_order(query))


def _has_signs(phrase: str) -> bool:
    return not all(_WORD.fullmatch(word) for word in phrase.split())


def _in_order(text: str) -> Phrase | None:
    words = [re.escape(word) for word in _WORD.findall(text.lower())]
    if not 0 < len(words) <= _MAX_WORDS:
        return None
    # Whatever the first word ends is no such word. That is asked behind it: a search for letters comes first.
    return Phrase(rf"{words[0]}(?<!\w{words[0]}){_BETWEEN.join(['', *words[1:]])}(?!\w)")


def _literal(phrase: str) -> Phrase:
    return Phrase(r"\s+".join(map(re.escape, phrase.lower().split())))
