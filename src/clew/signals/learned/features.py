"""Features of a sentence, hashed: words, what stands beside them, and the beginnings of long ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from zlib import crc32

from clew.signals.learned.cues import cues_in

#: Weights of one model; a feature's number is below it.
SIZE = 1 << 16
#: Of a longer sentence only the first words count.
_MAX_WORDS, _MAX_CHARS = 80, 600
#: Letters by which words of one stem are alike, and the length from which they are looked at.
_STEM, _LONG = 5, 7
_NEIGHBOURS = 4
#: Lengths are told in steps of so many words, up to so many steps.
_STEP, _MOST_STEPS = 4, 10

#: A word, a number, a sign; of scripts that set no spaces, each character.
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_]+(?:'[^\W\d_]+)?|\d+|_|[^\w\s]")


def sentence_features(text: str) -> set[int]:
    """The numbers of a sentence's features."""
    words = ["^", *words_of(text)[:_MAX_WORDS], "$"]
    features = (*_features(words), *cues_in(text[:_MAX_CHARS].lower().replace("’", "'")))
    return {crc32(feature.encode("utf-8", "surrogatepass")) & (SIZE - 1) for feature in features}


def words_of(text: str) -> list[str]:
    """Words and signs in small letters; all numbers are one."""
    return ["0" if token[0].isdigit() else token for token in _TOKEN.findall(text.lower().replace("’", "'"))]


def _features(words: Sequence[str]) -> Iterator[str]:
    yield from words
    yield from map(" ".join, pairwise(words))
    yield from map(" ".join, zip(words, words[1:], words[2:], strict=False))
    yield from (f"~{word[:_STEM]}" for word in words if len(word) >= _LONG)
    begins = [word[:_NEIGHBOURS] for word in words]
    yield from (f"~{first} {other}" for first, other in pairwise(begins))
    yield f"#{min(len(words) // _STEP, _MOST_STEPS)}"
