"""Telling tokens: the ids, numbers, names and plain words by which two texts are seen to say the same."""

from __future__ import annotations

import re

from clew.text.memo import remember
from clew.text.stems import topic_stem
from clew.text.stop_words import TOPIC_STOP_WORDS

#: What a token tells: an id or a number cannot be guessed, a name can be looked up, a word is said in many ways.
ID, NUMBER, NAME, WORD, DIGIT = 3.0, 2.5, 2.0, 1.0, 0.4
#: How far a text is read.
_MAX_CHARS = 6_000
#: So much of a hash tells it from others.
_HASH_CHARS = 7
_SHORTEST_WORD = 3

#: Ids of our own messages, which no summary writes. It begins with a letter, by which it is found quickly.
_OWN_ID = re.compile(r"m(?<!\wm)\d{1,6}(?:[–-]m?\d{1,6})?\b")
_TOKEN = re.compile(r"[#\w][\w./:@+-]*\w|[#\w]")
_HASH = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40}")
_ISSUE = re.compile(r"#?\d{2,7}|[A-Z]{2,8}-\d{1,6}")
_PLACE = re.compile(r"(.+?)[:#]L?(\d{1,6})(?:[-:]L?(\d{1,6}))?")
_NUMERIC = re.compile(r"v?\d[\d.,:]*(?:[a-zA-Z%]{1,3})?")
_NAMED = re.compile(r"[a-z0-9]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*|\w*_\w+|[A-Z][A-Z0-9_]{3,}|\w+(?:(?:::|[-.:])\w+)+")


@remember(1 << 14)
def telling_tokens(text: str) -> dict[str, float]:
    """Returns the tokens of a text, in one spelling, and what each tells."""
    weights: dict[str, float] = {}
    for raw in dict.fromkeys(_TOKEN.findall(_OWN_ID.sub(" ", text[:_MAX_CHARS]))):
        for token, weight in _tokens(raw):
            if weight > weights.get(token, 0.0):
                weights[token] = weight
    return weights


@remember(1 << 15)
def _tokens(raw: str) -> tuple[tuple[str, float], ...]:
    if "/" in raw and "://" not in raw:
        return _tokens(raw.rstrip("/").rpartition("/")[2]) if raw.strip("/") else ()
    if place := _PLACE.fullmatch(raw):
        lines = tuple((number, NUMBER) for number in place.groups()[1:] if number)
        if not place[1].isdigit():
            return (*_tokens(place[1]), *lines)
    if _HASH.fullmatch(raw):
        return ((raw[:_HASH_CHARS], ID),)
    if _ISSUE.fullmatch(raw):
        return ((raw.lstrip("#").lower(), ID if not raw.isdigit() else NUMBER),)
    if _NUMERIC.fullmatch(raw):
        return ((raw.lower().rstrip(".,:"), DIGIT if len(raw) == 1 else NUMBER),)
    if _NAMED.fullmatch(raw):
        return ((raw.lower(), NAME),)
    return _word(raw.lower().strip("_"))


def _word(word: str) -> tuple[tuple[str, float], ...]:
    if len(word) < _SHORTEST_WORD or word in TOPIC_STOP_WORDS:
        return ()
    return ((topic_stem(word), WORD),)
