"""A summary without a model: the lines of the digests that together say most, under the usual headings.

A line is worth what its kind, age and place give it, for each word that no line before it had: what repeats another
is worth nothing. References by later segments make a word worth more. The best for its cost comes first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2

from clew.domain import Digest, Use
from clew.summaries.checks import lost_items, unnamed_files
from clew.summaries.clipping import Count
from clew.summaries.completing import files_line, kept_lines
from clew.summaries.earlier import ROOT, earlier_lines, root_of, short_paths
from clew.summaries.lines import MUST, Line, told_lines
from clew.summaries.planted import harmless, is_claim
from clew.summaries.sections import CODEBASE, KEPT, PLAN, SECTIONS, Section, joined
from clew.summaries.source import stems_in
from clew.summaries.values import Material
from clew.text.names import names_in

#: How long a line may be, in characters: about this share of the room, between these limits.
_LINE_SHARE, _MIN_CHARS, _MAX_CHARS = 0.15, 100, 360
#: Where that leaves more than this share of the room empty, lines may be so many times longer.
_ENOUGH, _LONGER = 0.8, 3
#: Lines that are weighed at all, to a token of room; the least worthy of the others are not looked at.
_LINES_TO_TOKEN, _MIN_LINES = 0.12, 80
#: Characters to a token, for a first guess; a line's mark, end and source cost besides.
_CHARS_TO_TOKEN, _LINE_TOKENS = 3.6, 3.0
_GUESS_MARGIN = 2.0
#: Puts what must be told before all else; and a line with fewer new words than this is one that was told.
_FIRST, _SAID = 1e6, 0.5
_FILES_SHARE, _MORE_LINES = 0.12, 15
#: A line of which a kept item makes up this share says nothing else.
_KEPT_SHARE = 0.6


def extracted(material: Material, *, room: int, count: Count) -> tuple[str, list[str]]:
    """The text, empty if there is nothing to say or no room to say it, and what found no room."""
    kept, findings = kept_lines(lost_items("", material.keep), room=room, count=count)
    edited = material.files or _changed(material.digests)
    root = root_of([*edited, *(file.text for digest in material.digests for file in digest.files)])
    earlier = earlier_lines(material.before, material.digests)
    chars, text = int(min(_MAX_CHARS, max(_MIN_CHARS, room * _LINE_SHARE))), ""
    for longer in (1, _LONGER):
        lines = short_paths([*earlier, *told_lines(material.digests, chars=longer * chars)], root)
        ranked = _ranked(lines, material, room, told="\n".join(kept))
        text = _Page(ranked, root, kept, edited, room, count).text() or text
        if count(text) > room * _ENOUGH:
            break
    return text, findings


@dataclass(frozen=True, slots=True)
class _Page:
    """Lines in the order of their worth, and what has to stand beside as many of them as fit."""

    ranked: Sequence[Line]
    root: str
    kept: list[str]
    edited: Sequence[str]
    room: int
    count: Count

    def text(self) -> str:
        reserve = self._reserve()
        first = _most(len(self.ranked), lambda number: self.count(self._laid(number)) <= self.room - reserve)
        # What is shown names files too, so part of what was set aside for naming them is left.
        more = min(len(self.ranked) - first, _MORE_LINES)
        number = first + _most(more, lambda more: self.count(self._with_files(first + more, reserve)) <= self.room)
        whole = self._with_files(number, reserve) if number else ""
        return whole if self.count(whole) <= self.room else self._laid(number)

    def _reserve(self) -> int:
        """Tokens set aside for a line that names the files."""
        most = int(self.room * _FILES_SHARE)
        return min(most, self.count(files_line(self.edited, room=most, count=self.count)) + 1) if self.edited else 0

    def _laid(self, number: int) -> str:
        fixed = [Section(KEPT, self.kept)] if self.kept else []
        return joined([*_sections(self.ranked[:number], self.root), *fixed])

    def _with_files(self, number: int, files_room: int) -> str:
        text = self._laid(number)
        missing = [path.removeprefix(self.root) for path in unnamed_files(text, self.edited)]
        line = files_line(missing, room=files_room, count=self.count) if missing else ""
        return f"{text}\n{line}" if line else text


def _ranked(lines: Sequence[Line], material: Material, room: int, *, told: str) -> list[Line]:
    """The lines to take, the most telling for their cost first; what is ``told`` anyway says nothing new."""
    most = max(_MIN_LINES, int(room * _LINES_TO_TOKEN))
    best = heapq.nlargest(most, lines, key=lambda line: line.worth)
    lines = [line for line in best if _may_stand(line, material.keep)]
    features = [_features(line) for line in lines]
    weights = _weights(features, material.digests) | dict.fromkeys(stems_in(told) | set(names_in(told)), 0.0)
    costs = [len(line.text) / _CHARS_TO_TOKEN + _LINE_TOKENS for line in lines]

    def gain(at: int) -> float:
        if lines[at].worth >= MUST:
            return lines[at].worth * _FIRST
        return lines[at].worth * (sum(weights[one] for one in features[at]) - _SAID) / costs[at]

    heap = [(-gain(at), at) for at in range(len(lines))]
    heapq.heapify(heap)
    left, chosen = room * _GUESS_MARGIN, []
    while heap and left > 0:
        claimed, at = heapq.heappop(heap)
        now = -gain(at)
        if now >= 0.0:
            continue
        if now > claimed and heap and now > heap[0][0]:
            heapq.heappush(heap, (now, at))
            continue
        chosen.append(lines[at])
        left -= costs[at]
        for one in features[at]:
            weights[one] = 0.0
    return chosen


def _features(line: Line) -> set[str]:
    """Words and names; that a file was changed, or a thing is left to do, is news even where its name was told."""
    own = {line.text} if line.section in {CODEBASE, PLAN} else set()
    return stems_in(line.text) | set(names_in(line.text)) | own


def _may_stand(line: Line, keep: Sequence[str]) -> bool:
    """False for what claims a role, unless a person said it, and for what says little but what is kept anyway."""
    is_kept = any(item in line.text and len(item) > _KEPT_SHARE * len(line.text) for item in keep if item)
    return (line.quoted or not is_claim(line.text)) and not is_kept


def _weights(features: Sequence[set[str]], digests: Sequence[Digest]) -> dict[str, float]:
    """A word weighs one, a name that several segments speak of more."""
    spoken = Counter(fact.text for digest in digests for fact in digest.names)
    return {one: 1.0 + log2(1 + spoken[one]) for found in features for one in found}


def _sections(lines: Sequence[Line], root: str) -> list[Section]:
    found = []
    for name in SECTIONS:
        own = sorted((line for line in lines if line.section == name), key=lambda line: line.place)
        texts = list(dict.fromkeys(f"- {harmless(line.text)}" for line in own))
        if name == CODEBASE and root and texts:
            texts.insert(0, f"- {ROOT}{root}")
        if texts:
            found.append(Section(name, texts))
    return found


def _most(number: int, fits: Callable[[int], bool]) -> int:
    low, high = 0, number
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _changed(digests: Sequence[Digest]) -> list[str]:
    return list(dict.fromkeys(file.text for digest in digests for file in digest.files if file.use is not Use.READ))
