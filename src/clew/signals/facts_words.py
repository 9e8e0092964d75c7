"""Words of a statement: stems, what each weighs, and which of them are names. Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from clew.signals.facts_vocabulary import COMMON, DEED_ENDINGS, IRREGULAR, JOINED, NO_DEEDS, PASTS, STOP_WORDS
from clew.text.endings import without_past, without_plural

#: No word that people type is longer; what is, is data.
MAX_CHARS = 48
#: What a word says of what is spoken about: nothing, little, something, much.
NOTHING, LITTLE, PLAIN, NAME = 0.0, 0.35, 1.0, 1.3

_WORD = re.compile(r"\w+(?:[./’'+#-]\w+)*(?:\+\+|#)?")
_JOINED = re.compile(r"([A-Za-z]{3,})[-/]([A-Za-z]{3,})")
_CODE = re.compile(r"\w[_./]\w|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}$")


class Word(NamedTuple):
    """A word in its place: as written, its stem, what it weighs, and where it stands in the text."""

    raw: str
    stem: str
    weight: float
    start: int
    end: int


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A word without capitals and English endings; what people write in several ways, in one."""
    word = word.lower().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    word = IRREGULAR.get(word, word)
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    return _without_endings(word)


def is_past(raw: str) -> bool:
    """A verb as it stands in "have done", or of what was."""
    word = raw.lower()
    return word in PASTS or (len(word) > 4 and word.endswith("ed"))


def _without_endings(word: str) -> str:
    word = _as_verb(without_past(without_plural(word)))
    if word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    return word[:-1] if len(word) > 3 and word[-1] == "e" else word


def _as_verb(word: str) -> str:
    """Deployment as deploy, integration and integrate as one, submission as submit."""
    if len(word) < 7 or word in NO_DEEDS:
        return word
    for ending, instead in DEED_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (4 if ending == "ment" else 3):
            return word[: -len(ending)] + instead
    return word


_LITTLE = frozenset(map(stem, COMMON))


@lru_cache(maxsize=1 << 15)
def _weighed(raw: str) -> tuple[str, float]:
    lower = raw.lower().replace("’", "'")
    if len(lower) < 2 or lower in STOP_WORDS or ("'" in lower and lower.split("'")[0] in STOP_WORDS):
        return stem(raw), NOTHING
    root = stem(raw)
    if root in _LITTLE:
        return root, LITTLE
    return root, NAME if _CODE.search(raw) else PLAIN


def weight_of(root: str) -> float:
    """What a stem weighs, wherever it stands."""
    return LITTLE if root in _LITTLE else PLAIN if root else NOTHING


def words_in(text: str, start: int, end: int) -> list[Word]:
    """The words between two places; a capital within a sentence makes a name."""
    found: list[Word] = []
    for begin, stop in _runs(text, start, end):
        raw = text[begin:stop]
        root, weight = _weighed(raw if raw != "Go" or begin == start else "golang")
        if weight >= PLAIN and raw[0].isupper() and begin > start:
            weight = NAME
        found.append(Word(raw, root, weight, begin, stop))
    return found


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where words stand; two that are only joined (cost-related, sine/cosine) are two."""
    for match in _WORD.finditer(text, start, end):
        raw, at = match[0], match.start()
        if len(raw) > MAX_CHARS:
            continue
        joint = _JOINED.fullmatch(raw)
        if joint and raw.lower() not in JOINED:
            yield at, at + joint.start(2) - 1
            yield at + joint.start(2), match.end()
        else:
            yield at, match.end()
