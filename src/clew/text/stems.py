"""Words without their endings, so that forms of one word meet. English only.

``index_stem`` is the stemmer; indexes store what it gives. ``topic_stem`` is cruder, for telling tokens alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clew.text.memo import remember
from clew.text.stop_words import TOPIC_STOP_WORDS
from clew.text.vocabulary import in_order

#: Longer texts are read this far.
_MAX_CHARS = 60_000
_WORD = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")

#: What the endings end with that ``index_stem`` takes off: most words are told by it.
_LAST_LETTERS = "degs"
#: Endings that ``topic_stem`` takes off; the first that fits counts.
_TOPIC_ENDINGS = in_order(
    "ization isation ations ation ingly ments ment ness ities ity ized ised izing ising izes ises ize ise ings ing"
    " edly ied ies ers ed es er ly al s"
)
#: A topic's stem shorter than this tells no word from another.
_LEAST_TOPIC_CHARS = 3


def index_stem(word: str) -> str:
    """The stem by which a word is searched and compared: without the endings of plurals, of -ing and of -ed.

    For words in lower case. Other languages may lose a letter, always the same one.
    """
    if len(word) < 4 or word[-1] not in _LAST_LETTERS or not word.isascii():
        return word
    return _without_final_e(_without_past(_without_plural(word)))


@remember(1 << 14)
def topic_stem(word: str) -> str:
    """Cruder, and the same for all forms of most words."""
    word = word.partition("'")[0].lower()
    for ending in _TOPIC_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_TOPIC_CHARS and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    if len(word) > _LEAST_TOPIC_CHARS and word[-1] in "eyi":
        word = word[:-1]
    return word[:-1] if len(word) > _LEAST_TOPIC_CHARS and word[-1] == word[-2] else word


def topic_stems(text: str) -> Iterator[str]:
    """The stems of a text's words in order, stop words left out."""
    for word in _WORD.findall(text[:_MAX_CHARS].lower().replace("’", "'")):
        if word not in TOPIC_STOP_WORDS and (len(word) > 1 or not word.isascii()):
            yield index_stem(word.partition("'")[0])


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word[-1] == "s" and word[-2] not in "us" else word


def _without_past(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        root = word[:-3]
    elif word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    elif word.endswith("ed") and not word.endswith("eed") and len(word) > 4:
        root = word[:-2]
    else:
        return word
    if not any(letter in "aeiouy" for letter in root):  # string, shred
        return word
    return _without_doubled(root) if len(root) > 3 else root


def _without_doubled(root: str) -> str:
    """Stopp as stop; a doubled letter that words end with stays."""
    return root[:-1] if root[-1] == root[-2] and root[-1] not in "lsz" else root


def _without_final_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word
