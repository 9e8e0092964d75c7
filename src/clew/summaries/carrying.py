"""Facts that must not wash out: what an earlier summary told, and a new one leaves unsaid, is carried over.

A model that sums up its own summaries loses a little each time, and after twenty times the first decision is gone.
So the hard facts of the earlier text (files, names, measures, quotations, decisions) are looked up in the new one, and
the sentences that hold what is missing are put below it: those with most to lose first, within a share of the room.
What was carried before stands last, and is the first to go when there is too much of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import re2

from clew.domain import Fact, Origin
from clew.summaries.checks import name_of
from clew.summaries.clipping import Count, one_line, shortened
from clew.summaries.planted import is_claim
from clew.summaries.sections import ACTIVE, CARRIED, FILES, KEPT, PLAN, RECENT, sections_of
from clew.summaries.source import is_telling, sound, stems_in
from clew.summaries.values import Material
from clew.text.names import names_in, paths_in
from clew.text.sentences import sentences

#: What a missing fact is worth. A sentence is worth what it holds; being a decision is a fact of its own.
_FILE, _EDITED, _NAME, _MEASURE, _QUOTED, _DECIDED = 2.0, 4.0, 1.5, 2.0, 4.0, 4.0
#: What a section says of the moment is soon no longer so.
_PASSING = {ACTIVE: 0.5, RECENT: 0.3, PLAN: 0.5}
#: A sentence costs its characters, and so many for standing there.
_LINE_CHARS = 60
#: With so many places further down among what was carried before, a sentence loses half its worth.
_HALF_LIFE = 24
_CARRIED = 0.9
_MAX_CHARS, _MAX_SENTENCES, _MAX_NAMES, _MAX_ASKED = 240, 600, 60, 4
#: What an assistant reports weighs less than what a person wants.
_REPORTED = 0.5
#: A decision counts as told when this share of its words stands in one line of the new text.
_TOLD = 0.6
_ALSO = "- also: "

_QUOTATION = re.compile(r"[\"“„«]([^\"“”„«»\n]{8,200})[\"”“»]")
_NUMBER = re.compile(r"(?<![\w.-])\d[\d.,]{0,20}(?![\w-])")
_DECISION = re2.compile(
    r"(?i)\b(?:decided?|decision|chose|chosen|agreed|prefers?|must|never|always|instead of|rather than|not allowed|only"
    r"|required?|forbidden|because|constraint|rule|limit|keep|do not|don't|wants?|asked)\b"
    r"|\b(?:entschieden|muss|nie|immer|statt|weil|nur|soll)\b|\b(?:décidé|toujours|jamais|plutôt)\b"
    r"|\b(?:decidi[óo]|siempre|nunca|debe)\b|必须|决定|不要|решили|должен|нельзя"
)
_CHANGED = re2.compile(r"(?i)\b(?:chang|creat|edit|add|wrote|written|delet|remov|renam|implement|updat|fix|modif)")


class _Sentence(NamedTuple):
    """Words of an earlier summary or of a person, and their worth by where they stand and by whose they are."""

    text: str
    weight: float = 1.0
    decides: bool = False


def carried(new: str, material: Material, *, room: int, count: Count) -> list[str]:
    """Lines to put below the new text: what it leaves unsaid, the weightiest first, within the room."""
    before = sound(material.before)
    told = _Told(new, edited=frozenset(map(name_of, _edited(before))))
    found = [*_settled(material), *_sentences(before)][:_MAX_SENTENCES]
    losses = [told.loss(one) for one in found]
    lines: list[str] = []
    unsaid: list[str] = []
    for at in sorted(range(len(found)), key=lambda at: (-losses[at], at)):
        line = f"- {found[at].text}"
        cost = count(line) + 1
        if losses[at] > 0 and told.loss(found[at]) > 0 and cost <= room:
            lines.append(line)
            told.add(line)
            room -= cost
        elif losses[at] > 0:
            unsaid += told.missing_names(found[at].text)
    return [*lines, *_names([*unsaid, *_carried_names(before)], told, room, count)]


def _names(unsaid: Iterable[str], told: _Told, room: int, count: Count) -> list[str]:
    """Where no further sentence fits, bare names are better than nothing."""
    chosen: list[str] = []
    for name in [name for name in dict.fromkeys(unsaid) if not told.has(name)][:_MAX_NAMES]:
        if count(_ALSO + ", ".join([*chosen, name])) + 1 > room:
            break
        chosen.append(name)
    return [_ALSO + ", ".join(chosen)] if chosen else []


class _Told:
    """A text that grows, and what it says."""

    def __init__(self, text: str, edited: frozenset[str]) -> None:
        self._text, self._edited = one_line(text).casefold(), edited
        self._lines = [stems_in(line) for line in text.split("\n") if line.strip()]

    def add(self, line: str) -> None:
        self._text = f"{self._text} {one_line(line).casefold()}"
        self._lines.append(stems_in(line))

    def has(self, name: str) -> bool:
        return one_line(name).casefold() in self._text

    def missing_names(self, text: str) -> list[str]:
        paths, names = _facts(text)
        return [
            *(path for path in paths if not self.has(name_of(path))),
            *(name for name in names if not self.has(name)),
        ]

    def loss(self, one: _Sentence) -> float:
        """What would be lost without the sentence, for what it costs."""
        if self.has(one.text):
            return 0.0
        return sum(self._worths(one)) * one.weight / (len(one.text) + _LINE_CHARS)

    def _worths(self, one: _Sentence) -> Iterator[float]:
        paths, names = _facts(one.text)
        yield from (
            _EDITED if name_of(path) in self._edited else _FILE for path in paths if not self.has(name_of(path))
        )
        yield from (_MEASURE if name[0].isdigit() else _NAME for name in names if not self.has(name))
        yield from (_QUOTED for quotation in _QUOTATION.findall(one.text) if not self.has(quotation))
        if is_telling(one.text) and (one.decides or _DECISION.search(one.text)) and not self._says(one.text):
            yield _DECIDED

    def _says(self, sentence: str) -> bool:
        """True when one line has most of the sentence's words, and all of its numbers are told."""
        own = stems_in(sentence)
        has_words = bool(own) and any(len(own & line) >= _TOLD * len(own) for line in self._lines)
        return has_words and all(self.has(number) for number in _NUMBER.findall(sentence))


@lru_cache(maxsize=4_096)
def _facts(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(paths_in(text)), tuple(names_in(text))


def _settled(material: Material) -> Iterator[_Sentence]:
    """What the messages themselves say, the newest first: people's decisions and wishes, and what came of them."""
    for digest in reversed(material.digests):
        settled = [fact for fact in digest.decisions if fact.by is Origin.PERSON]
        for fact in (*settled, *digest.requests):
            yield from _quoted(fact)
        if digest.final:
            yield from (
                _Sentence(f"{shortened(one, _MAX_CHARS)} ({digest.final.source})", _REPORTED)
                for one in sentences(sound(digest.final.text))
            )


def _quoted(fact: Fact) -> Iterator[_Sentence]:
    """The first sentences of a person's words; a long request says what matters at its beginning."""
    for one in sentences(sound(fact.text))[:_MAX_ASKED]:
        if is_telling(one):
            yield _Sentence(f"“{shortened(one, _MAX_CHARS)}” ({fact.source})", decides=True)


def _sentences(before: str) -> Iterator[_Sentence]:
    """What the earlier summary says; what it had itself carried over comes last, and weighs less the further down."""
    late: list[_Sentence] = []
    for section in sections_of(before):
        lines = [line for line in _prose(section.lines) if not line.startswith((FILES, _ALSO)) and not is_claim(line)]
        if section.name == CARRIED:
            late = [
                _Sentence(shortened(line.removeprefix("- "), _MAX_CHARS), _CARRIED * 0.5 ** (at / _HALF_LIFE))
                for at, line in enumerate(lines)
            ]
        elif section.name != KEPT:
            weight = _PASSING.get(section.name, 1.0)
            yield from (_Sentence(shortened(one, _MAX_CHARS), weight) for line in lines for one in sentences(line))
    yield from late


def _prose(lines: Iterable[str]) -> Iterator[str]:
    """The lines outside of code blocks."""
    is_code = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code:
            yield line


def _carried_names(before: str) -> Iterator[str]:
    """Names that only stand in the lists of the earlier summary: files that were changed, and what was carried bare."""
    for start in (FILES, _ALSO):
        for line in before.split("\n"):
            if line.startswith(start):
                yield from (name.strip() for name in line.removeprefix(start).split(",") if name.strip())


def _edited(before: str) -> Iterator[str]:
    """Files that the earlier summary says were changed."""
    for line in before.split("\n"):
        if line.startswith(FILES):
            yield from (path.strip() for path in line.removeprefix(FILES).split(","))
        elif _CHANGED.search(line):
            yield from paths_in(line)
