"""Text of sentences: headings, first sentences, and those with numbers, names or code stay."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from clew.curation.line_fit import fit_lines
from clew.curation.lines import BRIEF, FILLER, PLAIN, STRONG, USEFUL, VITAL, WeightedLine
from clew.text.prose import FENCE
from clew.text.sentences import sentences

_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s{0,3}\*\*[^*\n]{1,120}\*\*:?\s*$|[A-Z][^.!?\n]{2,80}:$")
_ITEM = re.compile(r"(\s{0,40}(?:[-*+•–]|\d{1,3}[.)])\s+)")
_TELLING = re.compile(r"\d|`|\*\*|https?://|[a-z]_[a-z]|[a-z][A-Z]|[\w-]+\.[a-z]{2,4}\b|\w+/\w+|\b[A-Z]{2,}\b")
_JUDGING = re.compile(
    r"(?i)\b(?:must|should|never|always|important|critical|bug|issue|fix(?:ed)?|because|root cause|conclusion|summary|"
    r"recommend\w*|verdict|result|error|fail\w*|decision|decided|todo|next|risk|missing|wrong|breaking)\b"
)
_SENTENCE_ENDS = (".", ":", "!", "?", "**", ".)", ".`", '."')
_SHORT = 120


def reduce(text: str, limit: int) -> str:
    """The sentences that say most, in their order."""
    return fit_lines(list(_weigh(text.split("\n"))), limit)


def share_of_prose(lines: Sequence[str]) -> float:
    """How much of a text reads as sentences, headings and lists of them."""
    filled = [line.strip()[:400] for line in lines if line.strip()]
    return sum(1 for line in filled if _is_sentence(line)) / len(filled) if filled else 0.0


def _is_sentence(line: str) -> bool:
    """Five words or more, nearly all of them letters, and an end; a list's item needs no end."""
    if line.startswith("#"):
        return _HEADING.match(line) is not None
    blanks = line.count(" ")
    if blanks < 4 or not (line.endswith(_SENTENCE_ENDS) or _ITEM.match(line)):
        return False
    return (sum(map(str.isalpha, line)) + blanks + line.count(",")) * 100 >= len(line) * 80


def _weigh(lines: Sequence[str]) -> Iterator[WeightedLine]:
    fence, opens = False, True
    for line in lines:
        if FENCE.match(line):
            fence = not fence
            yield WeightedLine(line, PLAIN, label=BRIEF)
        elif fence:
            yield WeightedLine(line, PLAIN, label=BRIEF)
        elif not line.strip():
            opens = True
            yield WeightedLine("", FILLER)
        elif _HEADING.match(line):
            opens = True
            yield WeightedLine(line, VITAL)
        else:
            yield from _sentences(line, opens=opens)
            opens = False


def _sentences(line: str, *, opens: bool) -> Iterator[WeightedLine]:
    """A line of prose as its sentences; list marks and the indent stay with the first."""
    item = _ITEM.match(line)
    parts = sentences(line) if len(line) > _SHORT else ()
    if len(parts) < 2:
        yield WeightedLine(line, _weight(line, first=opens or bool(item)), label=BRIEF)
        return
    indent = item[1] if item else line[: len(line) - len(line.lstrip())]
    for index, sentence in enumerate(parts):
        yield WeightedLine(
            (indent if index == 0 else " " * len(indent)) + sentence, _weight(sentence, first=index == 0), label=BRIEF
        )


def _weight(sentence: str, *, first: bool) -> int:
    weight = (
        PLAIN + (2 if first else 0) + bool(_TELLING.search(sentence[:1000])) + bool(_JUDGING.search(sentence[:1000]))
    )
    return min(weight, STRONG - 1) if weight > USEFUL else weight
