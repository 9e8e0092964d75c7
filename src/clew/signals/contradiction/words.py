"""Words of a statement: stems, what each weighs, which of them are names; and the values that it gives. English."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.text.memo import remember
from clew.text.stems import index_stem
from clew.text.stop_words import STATEMENT_STOP_WORDS
from clew.text.vocabulary import words

#: No word that people type is longer; what is, is data.
_MAX_CHARS = 48
#: What a word says of what is spoken about: nothing, little, something, much.
NOTHING, LITTLE, PLAIN, NAME = 0.0, 0.35, 1.0, 1.3

_WORD = re.compile(r"\w+(?:[./’'+#-]\w+)*(?:\+\+|#)?")
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
    " properly correct quick quickly easy hard nice fine main real full based several many weird strange"
    " interesting curious stress stressed nervous confused struggle trouble trying focus goal approach solution"
    " advice tip guide suggestion review check user"
)
#: A number with its sign or unit; numbers within names, paths and times of day are none.
_VALUE = re.compile(
    r"(?<![\w.#/:-])(?P<sign>[$€£]?)v?(?P<amount>\d+(?:,\d{3})*(?:\.\d+)*)"
    r"(?:[\s-]?(?P<unit>%|percent|ms|s|sec(?:ond)?s?|min(?:ute)?s?|h|hours?|days?|weeks?|months?|years?|[kmgt]i?b"
    r"|bytes?|px|k)(?!\w))?(?![\w/]|:\d)",
    re.IGNORECASE,
)
#: Letters by which units are told apart: "min" is "minutes", and no "month".
_UNIT_CHARS = 2


class Word(NamedTuple):
    """A word in its place: as written, its stem, what it weighs, and where it stands in the text."""

    raw: str
    stem: str
    weight: float
    start: int
    end: int


class Value(NamedTuple):
    """An amount as it is written, its unit, and its place."""

    amount: str
    unit: str
    start: int
    end: int


@remember(1 << 15)
def statement_stem(word: str) -> str:
    """The stem of a word as it is written, by one name where people use several."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    return index_stem(_NAMES.get(word, word))


_LITTLE = frozenset(map(statement_stem, _COMMON))


@remember(1 << 15)
def _stem_and_weight(raw: str) -> tuple[str, float]:
    lower = raw.lower().replace("’", "'")
    stem = statement_stem(raw)
    if len(lower) < 2 or not STATEMENT_STOP_WORDS.isdisjoint({lower, lower.split("'")[0]}):
        return stem, NOTHING
    if stem in _LITTLE:
        return stem, LITTLE
    return stem, NAME if _CODE.search(raw) else PLAIN


def words_in(text: str) -> list[Word]:
    """The words of a clause; a capital within it makes a name."""
    return [_word(match[0], match.start()) for match in _WORD.finditer(text) if len(match[0]) <= _MAX_CHARS]


def _word(raw: str, start: int) -> Word:
    stem, weight = _stem_and_weight(raw)
    is_name = weight >= PLAIN and start > 0 and raw[0].isupper()
    return Word(raw, stem, NAME if is_name else weight, start, start + len(raw))


def values_in(text: str) -> list[Value]:
    """The amounts in order."""
    return [
        Value(
            match["amount"].replace(",", ""),
            (match["sign"] or match["unit"] or "").lower()[:_UNIT_CHARS],
            match.start(),
            match.end(),
        )
        for match in _VALUE.finditer(text)
    ]
