"""Which items an open change of mind is about: those that choose what is named, or what was chosen for the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.domain.critical import Candidate, CriticalItem, ItemKind
from clew.domain.ids import message_number
from clew.signals.critical.subjects import choice_of, meaning_of, topic_words
from clew.signals.critical.wordings.changes import Change

#: Messages back that "scrap that" may point to: what was said in the exchange before.
_JUST_SAID = 4
#: Words right before what is chosen.
_CHOOSING = r"(?:\b(?:use|using|with|on|to|prefer|keep|choose|take|target|is|adopt|for|be|against)|:|^)\W+"
_FOR = re.compile(r"\b(?:for|in)\b(?! (?:favou?r|place) of)")
#: Words that say nothing of what a choice is for.
_EMPTY = topic_words("change plan new use go switch take instead actually scrap decide settle stick keep mind let")


def chooses(item: CriticalItem, name: str) -> bool:
    """Whether an item chooses what is named, and does not only speak of it or forbid it."""
    meaning, words = meaning_of(item.text), topic_words(name)
    if not words or (meaning.negative and item.kind is ItemKind.CONSTRAINT):
        return False
    first = re.escape(name.split(maxsplit=1)[0].removesuffix("ql"))  # PostgreSQL is Postgres
    is_chosen = re.search(rf"{_CHOOSING}(?:(?:the|an?|our)\s+)?{first}", item.text, re.IGNORECASE) is not None
    return is_chosen and words <= meaning.words | meaning.choices


def items_changed(live: Sequence[CriticalItem], new: Candidate, change: Change) -> list[CriticalItem]:
    """The items in force or proposed that a change of mind is about; none where it is not clear."""
    fit = [item for item in live if not _is_of_another_case(item.text, new.text)]
    if change.old:
        return [item for item in fit if chooses(item, change.old)]
    decided = [item for item in fit if item.kind is ItemKind.DECISION]
    same = [item for item in decided if _is_of_same_thing(item.text, new.text, is_open=change.points)]
    if not change.is_bare and (same or not change.points):
        return same
    last = max(live, key=lambda item: item.newest, default=None)
    is_just_said = last is not None and 0 <= message_number(new.source) - last.newest <= _JUST_SAID
    return [item for item in decided if is_just_said and item is last]


def _is_of_same_thing(text: str, other: str, *, is_open: bool) -> bool:
    """Whether two choices are for the same; or of one table, or the same but for a number, where it is open that the
    earlier one is meant."""
    old, new, case = meaning_of(text), meaning_of(other), _case(text)
    choice = choice_of(text)
    if case == _case(other) and (case or (choice and choice == choice_of(other))):
        return True
    is_other_number = old.numbers != new.numbers and bool(old.words - _EMPTY) and old.words - _EMPTY <= new.words
    return is_open and (is_other_number or (bool(choice) and choice == choice_of(other)))


def _is_of_another_case(text: str, other: str) -> bool:
    cases, choices = (_case(text), _case(other)), {choice_of(text), choice_of(other)} - {""}
    return len(choices) > 1 or (all(cases) and not cases[0] & cases[1])


def _case(text: str) -> frozenset[str]:
    """The words of what a choice is for."""
    begin = _FOR.search(text.lower())
    return topic_words(text[begin.end() :]) - _EMPTY if begin else frozenset()
