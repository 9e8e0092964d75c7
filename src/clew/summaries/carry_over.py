"""The carry-over of facts that an earlier summary holds and a new one leaves out.

A model that sums up its own summaries loses a little each time, and after twenty times the first decision is gone.
So the hard facts of the earlier text (files, names, measures, quotations, decisions) are looked up in the new one, and
the sentences that hold what is missing are put below it: those with most to lose first, within a share of the room.
What was carried before stands last, and is the first to go when there is too much of it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

import re2

from clew.domain import Fact, Origin
from clew.ports import TokenCounter
from clew.summaries.injected_orders import claims_authority
from clew.summaries.sections import ACTIVE, CARRIED, FILES, KEPT, PLAN, RECENT, sections_of
from clew.summaries.source import is_informative, replace_surrogates
from clew.summaries.values import SummaryMaterial
from clew.text.decisions import MENTIONS_DECISION
from clew.text.memo import remember
from clew.text.names import file_name, names_in, paths_in
from clew.text.sentences import sentences
from clew.text.trim import shorten
from clew.units.already_said import SaidText

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
#: A decision counts as told when the new text lacks no more of it than this share.
_LACKS = 0.4
_ALSO = "- also: "

_QUOTATION = re.compile(r"[\"“„«]([^\"“”„«»\n]{8,200})[\"”“»]")
_NUMBER = re.compile(r"(?<![\w.-])\d[\d.,]{0,20}(?![\w-])")
_CHANGED = re2.compile(r"(?i)\b(?:chang|creat|edit|add|wrote|written|delet|remov|renam|implement|updat|fix|modif)")


class _Sentence(NamedTuple):
    """Words of an earlier summary or of a person, and their worth by where they stand and by whose they are."""

    text: str
    weight: float = 1.0
    decides: bool = False


def carry_over_lines(new: str, material: SummaryMaterial, *, room: int, count: TokenCounter) -> list[str]:
    """Lines to put below the new text: what it leaves out, the most important first, within the room."""
    before = replace_surrogates(material.before)
    said, edited = SaidText(new), frozenset(map(file_name, _edited_files(before)))
    found = [*_sentences_of_digests(material), *_sentences_of_summary(before)][:_MAX_SENTENCES]
    losses = [_loss(one, said, edited) for one in found]
    lines: list[str] = []
    unsaid: list[str] = []
    for at in sorted(range(len(found)), key=lambda at: (-losses[at], at)):
        line = f"- {found[at].text}"
        cost = count(line) + 1
        if losses[at] > 0 and _loss(found[at], said, edited) > 0 and cost <= room:
            lines.append(line)
            said.add(line)
            room -= cost
        elif losses[at] > 0:
            unsaid += _missing_names(found[at].text, said)
    return [*lines, *_names_line([*unsaid, *_listed_names(before)], said, room, count)]


def _names_line(unsaid: Iterable[str], text: SaidText, room: int, count: TokenCounter) -> list[str]:
    """Where no further sentence fits, bare names are better than nothing."""
    chosen: list[str] = []
    for name in [name for name in dict.fromkeys(unsaid) if not text.quotes(name)][:_MAX_NAMES]:
        if count(_ALSO + ", ".join([*chosen, name])) + 1 > room:
            break
        chosen.append(name)
    return [_ALSO + ", ".join(chosen)] if chosen else []


def _missing_names(text: str, said: SaidText) -> list[str]:
    paths, names = _facts(text)
    found = [*(path for path in paths if not said.quotes(file_name(path)))]
    return [*found, *(name for name in names if not said.quotes(name))]


def _loss(sentence: _Sentence, text: SaidText, edited: Container[str]) -> float:
    """The worth of the facts that would be lost without the sentence, to a character of its cost."""
    if text.quotes(sentence.text):
        return 0.0
    return sum(_worths(sentence, text, edited)) * sentence.weight / (len(sentence.text) + _LINE_CHARS)


def _worths(sentence: _Sentence, text: SaidText, edited: Container[str]) -> Iterator[float]:
    paths, names = _facts(sentence.text)
    lost = (name for name in map(file_name, paths) if not text.quotes(name))
    yield from (_EDITED if name in edited else _FILE for name in lost)
    yield from (_MEASURE if name[0].isdigit() else _NAME for name in names if not text.quotes(name))
    yield from (_QUOTED for quotation in _QUOTATION.findall(sentence.text) if not text.quotes(quotation))
    is_decision = sentence.decides or bool(MENTIONS_DECISION.search(sentence.text))
    if is_informative(sentence.text) and is_decision and not _states(text, sentence.text):
        yield _DECIDED


def _states(text: SaidText, sentence: str) -> bool:
    """True when most of a sentence is said in one place, and all of its numbers are told."""
    return text.missing(sentence) <= _LACKS and all(map(text.quotes, _NUMBER.findall(sentence)))


@remember(4_096)
def _facts(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(paths_in(text)), tuple(names_in(text))


def _sentences_of_digests(material: SummaryMaterial) -> Iterator[_Sentence]:
    """What the messages themselves say, the newest first: people's decisions and wishes, and what came of them."""
    for digest in reversed(material.digests):
        settled = [fact for fact in digest.decisions if fact.by is Origin.PERSON]
        for fact in (*settled, *digest.requests):
            yield from _quotes(fact)
        if digest.final:
            yield from (
                _Sentence(f"{shorten(sentence, _MAX_CHARS)} ({digest.final.source})", _REPORTED)
                for sentence in sentences(replace_surrogates(digest.final.text))
            )


def _quotes(fact: Fact) -> Iterator[_Sentence]:
    """The first sentences of a person's words; a long request says what matters at its beginning."""
    for sentence in sentences(replace_surrogates(fact.text))[:_MAX_ASKED]:
        if is_informative(sentence):
            yield _Sentence(f"“{shorten(sentence, _MAX_CHARS)}” ({fact.source})", decides=True)


def _sentences_of_summary(before: str) -> Iterator[_Sentence]:
    """What the earlier summary says; what it had itself carried over comes last, and weighs less the further down."""
    late: list[_Sentence] = []
    for section in sections_of(before):
        lines = [
            line for line in _prose(section.lines) if not line.startswith((FILES, _ALSO)) and not claims_authority(line)
        ]
        if section.name == CARRIED:
            late = [
                _Sentence(shorten(line.removeprefix("- "), _MAX_CHARS), _CARRIED * 0.5 ** (index / _HALF_LIFE))
                for index, line in enumerate(lines)
            ]
        elif section.name != KEPT:
            weight = _PASSING.get(section.name, 1.0)
            yield from (
                _Sentence(shorten(sentence, _MAX_CHARS), weight) for line in lines for sentence in sentences(line)
            )
    yield from late


def _prose(lines: Iterable[str]) -> Iterator[str]:
    """The lines outside of code blocks."""
    is_code = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            is_code = not is_code
        elif not is_code:
            yield line


def _listed_names(before: str) -> Iterator[str]:
    """Names that only stand in the lists of the earlier summary: files that were changed, and what was carried bare."""
    for start in (FILES, _ALSO):
        for line in before.split("\n"):
            if line.startswith(start):
                yield from (name.strip() for name in line.removeprefix(start).split(",") if name.strip())


def _edited_files(before: str) -> Iterator[str]:
    """Files that the earlier summary says were changed."""
    for line in before.split("\n"):
        if line.startswith(FILES):
            yield from (path.strip() for path in line.removeprefix(FILES).split(","))
        elif _CHANGED.search(line):
            yield from paths_in(line)
