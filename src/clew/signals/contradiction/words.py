"""Words of a statement: stems, what each weighs, and which of them are names. English; linear in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from clew.text.memo import remember
from clew.text.stems import index_stem
from clew.text.stop_words import STATEMENT_STOP_WORDS
from clew.text.vocabulary import words

#: No word that people type is longer; what is, is data.
MAX_CHARS = 48
#: What a word says of what is spoken about: nothing, little, something, much.
NOTHING, LITTLE, PLAIN, NAME = 0.0, 0.35, 1.0, 1.3

_WORD = re.compile(r"\w+(?:[./’'+#-]\w+)*(?:\+\+|#)?")
_JOINED = re.compile(r"([A-Za-z]{4,})[-/]([A-Za-z]{3,})")
_CODE = re.compile(r"\w[_./]\w|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}$")
#: Names that people write in several ways.
_NAMES = {"postgresql": "postgres", "js": "javascript", "ts": "typescript", "py": "python", "db": "database"}
#: Say little of it: they stand everywhere.
_COMMON = words(
    "use make want need help work project code app application system way time new good best better great know"
    " think say tell ask give take go come see look find show start try keep put set run change add create write"
    " call feel seem become leave mean turn move play live believe bring happen provide include continue learn"
    " understand follow stop begin day week month year today part place case point problem question issue number"
    " people person team detail example step idea plan stuff bit line file function method class object value type"
    " name list data result process option level first last next current different important able possible right"
    " long little small big large high low early old worry wonder guess decide consider suggest recommend explain"
    " ensure support improve implement handle manage build develop complete finish experience specific proper"
    " properly correct quick quickly easy hard nice fine main real full based several many weird strange strang"
    " interesting curious stress stressed nervous confused struggle trouble trying focus goal approach solution"
    " advice tip guide suggestion review check user"
)
#: Verbs as they stand in "have done", where that is not the word with -ed.
_PASTS = words(
    "written wrote rewrote rewritten met went gone used built made did done had took taken taught bought thought"
    " told said kept left lost paid sent spent chose chosen began begun ran run known knew seen saw gave given got"
    " gotten held led heard felt found flown driven eaten ate drunk spoken spoke broken forgotten understood won"
    " worn ridden sold slept swum thrown dealt drawn fallen grown put read shot sung lent meant been set cut let"
    " hit come become beaten bitten blown dug fed fought hung hidden hurt laid lit rung shaken shown sought stolen"
    " stuck torn woken wound"
)


class Word(NamedTuple):
    """A word in its place: as written, its stem, what it weighs, and where it stands in the text."""

    raw: str
    stem: str
    weight: float
    start: int
    end: int


@remember(1 << 15)
def statement_stem(word: str) -> str:
    """The stem of a word as it is written, by one name where people use several."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    return index_stem(_NAMES.get(word, word))


def stems(text: str) -> frozenset[str]:
    """The stems of words, written as one text."""
    return frozenset(map(statement_stem, text.split()))


_LITTLE = stems(" ".join(_COMMON))


def is_past(word: str) -> bool:
    """A verb as it stands in "have done", or of what was; in lower case."""
    return word in _PASTS or (len(word) > 4 and word.endswith("ed"))


def weight_of(root: str) -> float:
    """What a stem weighs, wherever it stands."""
    return LITTLE if root in _LITTLE else PLAIN


@remember(1 << 15)
def _stem_and_weight(raw: str) -> tuple[str, float]:
    lower = raw.lower().replace("’", "'")
    root = statement_stem(raw)
    if len(lower) < 2 or not STATEMENT_STOP_WORDS.isdisjoint({lower, lower.split("'")[0]}):
        return root, NOTHING
    if root in _LITTLE:
        return root, LITTLE
    return root, NAME if _CODE.search(raw) else PLAIN


def words_in(text: str) -> list[Word]:
    """The words of a clause; a capital within it makes a name, and two that are only joined are two."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        raw, at = match[0], match.start()
        joint = _JOINED.fullmatch(raw) if len(raw) <= MAX_CHARS else None
        pieces = [(joint[1], at), (joint[2], at + joint.start(2))] if joint else [(raw, at)]
        for piece, start in pieces if len(raw) <= MAX_CHARS else ():
            root, weight = _stem_and_weight(piece)
            if weight >= PLAIN and start and piece[0].isupper():
                weight = NAME
            found.append(Word(piece, root, weight, start, start + len(piece)))
    return found


def plainly(found: Sequence[Word]) -> tuple[str, ...]:
    """The words in lower case, every "n't" as "not"."""
    lower = (word.raw.lower().replace("’", "'") for word in found)
    return tuple("not" if word.endswith("n't") else word for word in lower)
