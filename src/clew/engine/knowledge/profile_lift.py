"""What the profile adds to the choice of modules: those are lifted whose labels name what the user works with."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from clew.domain import CriticalItem
from clew.domain.modules import Module
from clew.retrieval.words import query_words, words_of
from clew.signals.critical.subjects import meaning_of
from clew.text.stop_words import QUERY_STOP_WORDS

#: What each label that the profile names is worth, and all of them together at most: little more than a priority.
_EACH, _MOST = 0.1, 0.25
_CLAUSE = re.compile(r"[,;.!?]\s|\s(?:but|and|so|because)\s", re.IGNORECASE)
#: A name by its capital, or by the word before it.
_NAME = re.compile(r"\b[A-Z][\w+#]*|(?<=\bin )\w+|(?<=\bwith )\w+|(?<=\buse )\w+|(?<=\bwrite )\w+")
#: What is turned down behind these is not what the user works with.
_AGAINST = re.compile(r"\b(?:instead of|rather than|over|and not|not)\b.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ProfileLift:
    """How much a module is lifted, the words of its labels that did it, and the items of the profile that say them."""

    factor: float = 1.0
    words: tuple[str, ...] = ()
    items: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"profile {', '.join(self.items)}: {', '.join(self.words)}" if self.words else ""


NO_LIFT = ProfileLift()


@dataclass(frozen=True, slots=True)
class ProfileWords:
    """What a profile names, by word, with the item that names it; ``refused`` is what the user does not want."""

    named: dict[str, str] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()

    def lift(self, module: Module) -> ProfileLift:
        """Returns how much a module is lifted: not at all if a label of it is refused."""
        labels = [word for word in _labels(module) if word in self.named or word in self.refused]
        if not labels or any(word in self.refused for word in labels):
            return NO_LIFT
        items = tuple(dict.fromkeys(self.named[word] for word in labels))
        return ProfileLift(1 + min(_EACH * len(labels), _MOST), tuple(labels), items)


def profile_words(items: Sequence[CriticalItem]) -> ProfileWords:
    """Returns what a profile names and refuses, clause by clause."""
    named: dict[str, str] = {}
    refused: set[str] = set()
    for item in items:
        for clause in _CLAUSE.split(item.text):
            turned_down = _AGAINST.search(clause)
            if meaning_of(clause).negative and not turned_down:
                refused.update(_content(clause))
                continue
            refused.update(_content(turned_down[0]) if turned_down else ())
            for word in _content(_AGAINST.sub(" ", clause)):
                named.setdefault(word, item.id)
    return ProfileWords(named, frozenset(refused))


def _content(text: str) -> Collection[str]:
    """The words of a clause; short names of languages are among the words that say nothing elsewhere, such as Go."""
    names = {word.casefold() for word in _NAME.findall(text)}
    return [word for word in words_of(text) if word not in QUERY_STOP_WORDS or word in names]


def _labels(module: Module) -> Sequence[str]:
    """The words by which a module says what it is for."""
    labels = words_of("\n".join((module.category, *module.tags)))
    scope = query_words(module.usage_scope) if module.usage_scope and module.usage is None else []
    return list(dict.fromkeys((*labels, *scope)))
