"""Contradictions that the encoder finds: what a person says now against what they said before on the same subject."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from clew.domain import Json
from clew.history.person_words import PersonStatement
from clew.signals.contradiction.index import keys_of
from clew.signals.learned.tier import Relation
from clew.text.trim import cut_at_word, one_line

#: From here on a contradiction is told: next to none of those who say no such thing are this sure.
LOUD = 0.85
#: Subjects that both have to name, or this share of those of the shorter one: two everyday words that two messages
#: have in common do not make them speak of the same.
_LEAST_SHARED, _LEAST_SHARE = 3, 1 / 2
#: Longer messages speak of several things, and the encoder has learned to compare statements of one.
_MAX_STATEMENT_CHARS = 400
_MAX_ABOUT_CHARS, _MAX_NAMES = 80, 4


_WORD = re.compile(r"\w[\w-]*")


class Compares(Protocol):
    """A model that compares statements."""

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]: ...


def contradictions_by(model: Compares, statement: PersonStatement, earlier: Mapping[str, str]) -> list[Json]:
    """The rows of what ``statement`` contradicts of earlier statements on the same subjects, by message."""
    earlier = {id: text for id, text in earlier.items() if is_comparable(text, statement.text)}
    relations = model.compare([(text, statement.text) for text in earlier.values()])
    return [
        {
            "earlier": id,
            "later": statement.source,
            "score": round(relation.contradiction, 4),
            "about": _about(text, statement.text),
            "speaker": "user",
            "earlier_text": one_line(text),
            "later_text": one_line(statement.text),
        }
        for (id, text), relation in zip(earlier.items(), relations, strict=True)
        if relation.contradiction >= LOUD
    ]


def is_comparable(earlier: str, later: str) -> bool:
    """Whether two statements are short enough to be of one thing each, and name the same subjects."""
    if max(len(earlier), len(later)) > _MAX_STATEMENT_CHARS:
        return False
    ours, theirs = keys_of(earlier), keys_of(later)
    least = min(_LEAST_SHARED, _LEAST_SHARE * min(len(ours), len(theirs)))
    return len(ours & theirs) >= max(least, 1)


def _about(earlier: str, later: str) -> str:
    """What both speak of: the names they share, or how the earlier one begins."""
    words = sorted(set(_WORD.findall(earlier.lower())))
    names = (next((word for word in words if word.startswith(key)), key) for key in keys_of(earlier) & keys_of(later))
    shared = sorted(set(names))
    return ", ".join(shared[:_MAX_NAMES]) or cut_at_word(one_line(earlier), _MAX_ABOUT_CHARS)
