"""Quantities in a sentence: numbers with their unit, money, dates, times of day, versions. Linear in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from clew.text.vocabulary import in_order

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
#: Units as people write them, with the factor to the first of their dimension.
_DIMENSIONS = {
    "time": "s:1 sec:1 secs:1 second:1 seconds:1 ms:.001 millisecond:.001 milliseconds:.001 min:60 mins:60 minute:60"
    " minutes:60 h:3600 hr:3600 hrs:3600 hour:3600 hours:3600 day:86400 days:86400 week:604800 weeks:604800"
    " month:2592000 months:2592000 year:31536000 years:31536000",
    "bytes": "b:1 byte:1 bytes:1 kb:1e3 kib:1e3 mb:1e6 mib:1e6 gb:1e9 gib:1e9 tb:1e12 tib:1e12",
    "share": "%:1 percent:1",
    "length": "px:1 rem:16 em:16",
    "money": "usd:1 dollars:1 dollar:1 eur:1 euros:1 euro:1 bucks:1",
}
_UNITS: dict[str, tuple[str, float]] = {
    unit: (dimension, float(factor))
    for dimension, table in _DIMENSIONS.items()
    for unit, factor in (pair.split(":") for pair in in_order(table))
}
_NUMBER_WORDS = {
    word: float(amount)
    for word, amount in (
        pair.split(":")
        for pair in in_order(
            "one:1 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12 fifteen:15"
            " twenty:20 thirty:30 forty:40 fifty:50 sixty:60 hundred:100"
        )
    )
}
_DIGITS, _LETTERS = frozenset("0123456789"), re.compile("[a-z]+")
_UNIT = "|".join(sorted(_UNITS, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?P<date>\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{4}}-\d\d-\d\d\b)"
    r"|(?P<clock>\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\b|(?<![\w:.])\d{1,2}:\d\d(?![\d:]|\.\d))"
    r"|(?P<money>[$€£]\s?\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,4})?[km]?\b)"
    r"|(?P<version>(?<!/)\bv\d{1,4}(?:\.\d{1,5}){0,3}\b(?!/)|\b\d{1,4}(?:\.\d{1,5}){2,3}\b)"
    r"|(?P<number>(?<![\w.#/:-])\d{1,15}(?:,\d{3}){0,4}(?:\.\d{1,6})?)"
    rf"(?:[\s-]?(?P<unit>{_UNIT}|k)(?![\w]))?(?![\w/]|:\d)"
    rf"|\b(?P<word>{'|'.join(list(_NUMBER_WORDS)[1:])}|one(?=[\s-](?:{_UNIT})\b))(?:[\s-](?P<wunit>{_UNIT}))?\b",
    re.IGNORECASE,
)


class Quantity(NamedTuple):
    """An amount in its base unit, what it is an amount of (``number`` when that is not said), and its place."""

    amount: float | str
    dimension: str
    start: int
    end: int


def quantities_in(text: str) -> list[Quantity]:
    """The quantities in order."""
    if _DIGITS.isdisjoint(text) and _NUMBER_WORDS.keys().isdisjoint(_LETTERS.findall(text.lower())):
        return []
    found = []
    for match in _QUANTITY.finditer(text):
        amount, dimension = _read(match)
        found.append(Quantity(amount, dimension, match.start(), match.end()))
    return found


def _read(match: re.Match[str]) -> tuple[float | str, str]:
    kind = match.lastgroup
    if match["date"]:
        return _date(match["date"]), "date"
    if match["clock"]:
        return _clock(match["clock"]), "clock"
    if match["money"]:
        return _money(match["money"]), "money"
    if match["version"]:
        return match["version"].lower().lstrip("v"), "version"
    number = match["number"]
    amount = _NUMBER_WORDS[match["word"].lower()] if number is None else float(number.replace(",", "") or 0)
    unit = (match["unit"] or match["wunit"] or "").lower() if kind else ""
    if unit == "k":
        return amount * 1000, "number"
    dimension, factor = _UNITS.get(unit, ("number", 1.0))
    return amount * factor, dimension


def _date(written: str) -> str:
    if written[0].isdigit():
        return f"{int(written[5:7])}/{int(written[8:10])}"
    day = re.search(r"\d+", written)
    return f"{_MONTHS.index(written[:3].lower()) + 1}/{int(day[0]) if day else 0}"


def _clock(written: str) -> float:
    hour, minute = [*re.findall(r"\d+", written), "0"][:2]
    is_late = "p" in written.lower() and int(hour) < 12
    return (int(hour) + 12 * is_late) * 60.0 + int(minute)


def _money(written: str) -> float:
    factor = {"k": 1e3, "m": 1e6}.get(written[-1].lower(), 1.0)
    return float(re.sub(r"[^\d.]", "", written) or 0) * factor
