"""What statements of a rule file are: rules by their own words, or by the place where they stand.

``words`` scores a statement by its words. ``rule`` goes by that score, the heading and the line above the statement,
and the scores of those beside it: people keep rules together. ``alone`` tells which need nothing of that to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

from clew.domain.critical import ItemKind
from clew.signals.learned.features import words_of
from clew.signals.learned.linear import models, share
from clew.signals.learned.tier import KINDS
from clew.text.memo import remember

#: Weights of one model; a feature's number is below it.
SIZE = 1 << 14
#: Of a longer line only the first words count.
_MAX_WORDS, _MAX_ABOVE = 80, 12
#: Words at the beginning that count as pairs too; letters by which long words are alike.
_OPENING, _STEM, _LONG = 3, 4, 6
#: Lengths are told in steps of so many words, up to so many steps; scores in quarters, up to so many.
_STEP, _MOST_STEPS, _MOST_QUARTERS = 4, 10, 12
#: So many statements beside another are not yet counted on.
_FEW = 1

#: Code is one thing, whatever it says.
_CODE = re.compile(r"`+[^`]{1,400}`+")
#: What may stand before the words that matter: a label, a case.
_LABEL = re.compile(r"([^.:!?：]{1,60}?)\s?(?:[:：]|(?<=\s)[–—-]{1,2}(?=\s))\s*(?=\S)")
_CASE = re.compile(r"[^,，;]{4,160}?[,，;]\s*(?=\S)")


class Placed(NamedTuple):
    """A statement, and what stands above it: the heading, and the line that announces its list."""

    text: str
    heading: str = ""
    lead: str = ""
    is_item: bool = False


class PlacedReading(NamedTuple):
    """From 0 to 1: a rule by its own words, and a rule where it stands."""

    alone: float
    placed: float


def read_statements(statements: Sequence[Placed]) -> list[PlacedReading]:
    """What each statement is; ``statements`` are those of one file, in its order."""
    known = models("rule_files")
    features = [numbers(word_features(statement.text)) for statement in statements]
    words = [known["words"].score(feature) for feature in features]
    alone = [share(known["alone"].score(feature)) for feature in features]
    scored = zip(statements, words, scores_beside(statements, words), strict=True)
    placed = [
        placed_features(statement, own=own, near=near, lead=_lead_score(statement.lead))
        for statement, own, near in scored
    ]
    return [
        PlacedReading(own, share(known["rule"].score(statement))) for own, statement in zip(alone, placed, strict=True)
    ]


@remember(64)
def _lead_score(lead: str) -> float:
    return models("rule_files")["words"].score(numbers(word_features(lead))) if lead else 0.0


def kind_of(text: str) -> ItemKind:
    """Of what kind a rule is."""
    known, features = models("rule_files"), numbers(word_features(text))
    return max(KINDS, key=lambda kind: known[kind].score(features))


def scores_beside(statements: Sequence[Placed], scores: Sequence[float]) -> list[float]:
    """The mean score of the others at the same place; few of them say less."""
    places: dict[Placed, list[float]] = {}
    for statement, score in zip(statements, scores, strict=True):
        places.setdefault(statement._replace(text=""), []).append(score)
    sums = {place: (sum(some), len(some) - 1 + _FEW) for place, some in places.items()}
    scored = ((sums[statement._replace(text="")], score) for statement, score in zip(statements, scores, strict=True))
    return [(total - score) / count for (total, count), score in scored]


def placed_features(placed: Placed, *, own: float, near: float, lead: float) -> set[int]:
    """The numbers of the features of a statement where it stands.

    ``own`` is the score of its words, ``near`` that of those beside it, ``lead`` that of the line above.
    """
    scores = [*_steps("own", own), *_steps(f"near {placed.is_item}", near), *_steps("above", lead)]
    return numbers([*_place_features(placed), *scores])


def numbers(features: Iterable[str]) -> set[int]:
    return {crc32(feature.encode()) & (SIZE - 1) for feature in features}


def word_features(text: str) -> Iterator[str]:
    """Words, how the text begins and ends, and what is set before it."""
    plain = _CODE.sub("`", text)
    if label := _LABEL.match(plain):
        yield from (f"label {word}" for word in ("", *words_of(label[1])[:_MAX_ABOVE]))
        plain = plain[label.end() :]
    words = words_of(plain)[:_MAX_WORDS]
    yield from words
    yield from _opening(words)
    if case := _CASE.match(plain):
        yield from ("case", *_opening(words_of(plain[case.end() :])))
    yield from (f"~{word[:_STEM]}" for word in words if len(word) >= _LONG)
    yield f"#{min(len(words) // _STEP, _MOST_STEPS)}"
    yield f"last {plain[-1:] if plain[-1:] in '.!。！`' else ''}"


def _opening(words: Sequence[str]) -> Iterator[str]:
    """How words begin, one by one and in pairs."""
    begin = ["^", *words[:_OPENING]]
    yield from map(" ".join, pairwise(begin))
    yield from (f"{index} -s" for index, word in enumerate(begin) if len(word) >= _STEM and word.endswith("s"))


def _place_features(placed: Placed) -> Iterator[str]:
    yield f"item {placed.is_item}"
    for name, line in (("heading", placed.heading), ("lead", placed.lead)):
        words = words_of(line)[:_MAX_ABOVE] or [""]
        yield from (f"{name} {word}" for word in (*words, f"^ {words[0]}"))


def _steps(name: str, score: float) -> Iterator[str]:
    """A score as features: one for each step from 0 to it."""
    sign = "+" if score > 0 else "-"
    yield from (f"{name} {sign}{step}" for step in range(min(int(4 * abs(score)), _MOST_QUARTERS)))
