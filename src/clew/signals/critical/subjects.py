"""What a rule is about, apart from what it says of it: its subject, its choice, its numbers, its yes or no.

Two rules of one subject that choose differently cannot both hold: the later word counts. "Use tabs" and "use spaces"
share a subject by a table of alternatives; "at most 80 columns" and "at most 100 columns" by their words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clew.signals.critical.own_words import own_subject
from clew.signals.critical.wordings.table import CHOICES
from clew.text.memo import remember
from clew.text.stems import index_stem
from clew.text.stop_words import RULE_STOP_WORDS

_JOINED = (
    (re.compile(r"\b(single|double)[ -]quotes?\b"), r"\1-quotes"),
    (re.compile(r"\b(camel|pascal)[ -]case\b"), r"\1case"),
    (re.compile(r"\b(snake)[ -]case\b"), r"\1_case"),
    (re.compile(r"\b(kebab) case\b"), r"\1-case"),
    (re.compile(r"\b(dark|light)[ -]mode\b"), r"\1-mode"),
    (re.compile(r"\bbullet[ -]?(?:points?|lists?)\b"), "bullets"),
    (re.compile(r"\b(tab|space)(?= (?:indent\w*|character))"), r"\1s"),
    (re.compile(r"\bpostgres(?:ql)?\b"), "postgres"),
    (re.compile(r"\b(?:do|does|must|should|may|can) not\b"), "don't"),
    (re.compile(r"\btwo\b"), "2"),
    (re.compile(r"\bthree\b"), "3"),
    (re.compile(r"\bfour\b"), "4"),
    (re.compile(r"\beight\b"), "8"),
)
_NEGATIONS = re.compile(
    r"\b(?:no|not|never|don't|dont|do not|doesn't|avoid|stop|without|cannot|can't|mustn't|shouldn't|no longer|hate"
    r"|dislike"
    r"|forbidden|prohibited|nobody|none)\b"
)
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
_TOKEN = re.compile(r"[^\W\d_][\w'./+#-]*|[\u3040-\u30ff\u4e00-\u9fff]")
#: Where the case begins in which a rule holds.
_CASE = re.compile(r"\b(?:in|for|when|whenever|if|on|inside|within|during|under)\b")
_AGAINST = re.compile(r"\b(?:instead of|rather than|over|and not|not)\b\s+\S+")
#: Choices that are made for one thing and not for another: the thing is part of the subject.
_OF_SOMETHING = frozenset({"length", "tone", "language", "lists"})
#: One word for what an assistant says.
_SAYINGS = dict.fromkeys(("reply", "respond", "respons", "speak", "talk", "communicat", "messag"), "answer")


@dataclass(frozen=True, slots=True)
class Meaning:
    """A rule taken apart; ``words`` are its content, stemmed, without numbers and choices."""

    words: frozenset[str]
    choices: frozenset[str]
    numbers: tuple[str, ...]
    negative: bool


@remember(4_096)
def meaning_of(text: str) -> Meaning:
    plain = _plain(text)
    tokens = [_stem(match[0]) for match in _TOKEN.finditer(_AGAINST.sub(" ", plain))]
    choices = frozenset(token for token in tokens if token in CHOICES)
    words = frozenset(token for token in tokens if token not in RULE_STOP_WORDS and token not in choices)
    return Meaning(words, choices, tuple(_NUMBER.findall(plain)), _NEGATIONS.search(plain) is not None)


@remember(4_096)
def subject_of(text: str) -> str:
    """What a rule is about, as a key: the choice's subject and the case it is made for, or else its content words."""
    if own := own_subject(_plain(text)):
        return own
    meaning = meaning_of(text)
    subjects = sorted({CHOICES[choice] for choice in meaning.choices})
    everything = " ".join(sorted(meaning.words | meaning.choices))
    if len(subjects) != 1:
        return everything
    named = topic_words(subjects[0].replace("-", " "))
    case = meaning.words if subjects[0] in _OF_SOMETHING else _case_of(_AGAINST.sub(" ", _plain(text)))
    is_choice = meaning.words - named <= case
    return ":".join([subjects[0], *sorted(case - named)]) if is_choice else everything


def choice_of(text: str) -> str:
    """What a rule chooses one of several of; empty where it chooses none, or of more than one thing."""
    chosen = {CHOICES[choice] for choice in meaning_of(text).choices}
    return chosen.pop() if len(chosen) == 1 else ""


def _case_of(plain: str) -> frozenset[str]:
    """The content words of the case in which a choice holds, if one is named behind it."""
    chosen = next((match.start() for match in _TOKEN.finditer(plain) if _stem(match[0]) in CHOICES), 0)
    case = _CASE.search(plain, chosen)
    return topic_words(plain[case.end() :]) if case else frozenset()


def topic_words(text: str) -> frozenset[str]:
    """The content words of a text, choices among them, as stems."""
    tokens = (_stem(match[0]) for match in _TOKEN.finditer(_plain(text)))
    return frozenset(token for token in tokens if token not in RULE_STOP_WORDS)


def _plain(text: str) -> str:
    plain = text.lower().replace("’", "'").replace("*", "").replace("`", "")
    for pattern, joined in _JOINED:
        plain = pattern.sub(joined, plain)
    return plain


def _stem(token: str) -> str:
    """Without the endings of number and time; choices stay as they are written in the table."""
    token = token.rstrip(".'/-")
    if token in CHOICES or token in RULE_STOP_WORDS:
        return token
    stem = index_stem(token)
    return _SAYINGS.get(stem, stem)
