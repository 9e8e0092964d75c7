"""Words of a statement: stems, what each weighs, and which of them are names. Linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from clew.signals.facts.vocabulary import COMMON, JOINED, PASTS
from clew.text.memo import remember
from clew.text.stems import statement_stem
from clew.text.stop_words import STATEMENT_STOP_WORDS

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


def is_past(raw: str) -> bool:
    """A verb as it stands in "have done", or of what was."""
    word = raw.lower()
    return word in PASTS or (len(word) > 4 and word.endswith("ed"))


_LITTLE = frozenset(map(statement_stem, COMMON))


@remember(1 << 15)
def _weighed(raw: str) -> tuple[str, float]:
    lower = raw.lower().replace("’", "'")
    if (
        len(lower) < 2
        or lower in STATEMENT_STOP_WORDS
        or ("'" in lower and lower.split("'")[0] in STATEMENT_STOP_WORDS)
    ):
        return statement_stem(raw), NOTHING
    root = statement_stem(raw)
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
