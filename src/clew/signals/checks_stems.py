"""Words without their endings, so that a rule's words are found in whatever form a reply has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from clew.text.vocabulary import words

#: Longer texts are read this far.
MAX_CHARS = 60_000

_RUN = re.compile(r"[^\W_]\S*")
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_ENDINGS = (
    "ization", "isation", "ations", "ation", "ingly", "ments", "ment", "ness", "ities", "ity", "ized", "ised", "izing",
    "ising", "izes", "ises", "ize", "ise", "ings", "ing", "edly", "ied", "ies", "ers", "ed", "es", "er", "ly", "al",
    "s",
)  # fmt: skip
#: A stem shorter than this tells no word from another.
_LEAST = 3

#: Words that say nothing of what a text is about, and those that only talk of asking and answering.
COMMON = words(
    "a about above after again against all also am an and any are as at be because been before being below between"
    " both but by can cannot could did do does doing don't down during each either else every few for from further get"
    " give go got had has have having he her here hers him his how i if in into is isn't it its itself just let let's"
    " like made make me mine more most much must my need no nor not now of off on once one only onto or other our ours"
    " out over own per please put same see she should so some such take than that the their them then there these they"
    " thing things this those through to too two under until up us use used using very via want was way we well were"
    " what when where whether which while who whom why will with within without would yes yet you your yours"
)


def count_words(text: str) -> int:
    """Runs between blanks that hold a letter or a digit: what a person counts."""
    return len(_RUN.findall(text))


def stems(text: str) -> Iterator[str]:
    """The stems of a text's words, common ones left out, in order."""
    for word in _WORD.findall(text[:MAX_CHARS].lower().replace("’", "'")):
        if word not in COMMON and (len(word) > 1 or not word.isascii()):
            yield stem(word)


@lru_cache(maxsize=1 << 14)
def stem(word: str) -> str:
    """A word without its ending; crude, and the same for all forms of most words."""
    word = word.partition("'")[0].lower()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > _LEAST and word[-1] in "eyi":
        word = word[:-1]
    return word[:-1] if len(word) > _LEAST and word[-1] == word[-2] else word
