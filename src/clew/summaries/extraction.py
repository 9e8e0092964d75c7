"""A summary without a model: the lines of the digests that together say most, under the usual headings.

A line is worth what its kind, age and place give it, for each word that no line before it had: what repeats another
is worth nothing. References by later segments make a word worth more. The best for its cost comes first.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum, log2

from clew.domain import Digest, FileUse
from clew.ports import TokenCounter
from clew.summaries.additions import files_line, verbatim_lines
from clew.summaries.checks import lost_items, unnamed_files
from clew.summaries.digest_lines import MUST, SummaryLine, lines_of_digests
from clew.summaries.earlier_summary import FOLDER_LINE, earlier_lines, shared_folder, shorten_paths
from clew.summaries.injected_orders import claims_authority, neutralise
from clew.summaries.sections import CODEBASE, KEPT, PLAN, SECTIONS, SummarySection, join_sections
from clew.summaries.source import stems_in
from clew.summaries.values import SummaryMaterial
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
_FIRST, _MIN_NEW_WORDS = 1e6, 0.5
_FILES_SHARE, _MORE_LINES = 0.12, 15
#: A line of which a kept item makes up this share says nothing else.
_KEPT_SHARE = 0.6


def extract_summary(material: SummaryMaterial, *, room: int, count: TokenCounter) -> tuple[str, list[str]]:
    """Extracts a summary from the digests, empty where nothing fits, and says which kept items found no room."""
    kept, findings = verbatim_lines(lost_items("", material.keep), room=room, count=count)
    edited = material.files or _changed_files(material.digests)
    root = shared_folder([*edited, *(file.text for digest in material.digests for file in digest.files)])
    earlier = earlier_lines(material.before, material.digests)
    chars, text = int(min(_MAX_CHARS, max(_MIN_CHARS, room * _LINE_SHARE))), ""
    for longer in (1, _LONGER):
        lines = shorten_paths([*earlier, *lines_of_digests(material.digests, chars=longer * chars)], root)
        ranked = _rank_lines(lines, material, room, told="\n".join(kept))
        text = _PageFit(ranked, root, kept, edited, room, count).text() or text
        if count(text) > room * _ENOUGH:
            break
    return text, findings


@dataclass(frozen=True, slots=True)
class _PageFit:
    """Lines in the order of their worth, and what has to stand beside as many of them as fit."""

    ranked: Sequence[SummaryLine]
    root: str
    kept: list[str]
    edited: Sequence[str]
    room: int
    count: TokenCounter

    def text(self) -> str:
        reserve = self._reserve()
        first = _largest(len(self.ranked), lambda number: self.count(self._render(number)) <= self.room - reserve)
        # What is shown names files too, so part of what was set aside for naming them is left.
        more = min(len(self.ranked) - first, _MORE_LINES)
        number = first + _largest(more, lambda more: self.count(self._with_files(first + more, reserve)) <= self.room)
        whole = self._with_files(number, reserve) if number else ""
        return whole if self.count(whole) <= self.room else self._render(number)

    def _reserve(self) -> int:
        """Tokens set aside for a line that names the files."""
        most = int(self.room * _FILES_SHARE)
        return min(most, self.count(files_line(self.edited, room=most, count=self.count)) + 1) if self.edited else 0

    def _render(self, number: int) -> str:
        fixed = [SummarySection(KEPT, self.kept)] if self.kept else []
        return join_sections([*_sections(self.ranked[:number], self.root), *fixed])

    def _with_files(self, number: int, files_room: int) -> str:
        text = self._render(number)
        missing = [path.removeprefix(self.root) for path in unnamed_files(text, self.edited)]
        line = files_line(missing, room=files_room, count=self.count) if missing else ""
        return f"{text}\n{line}" if line else text


def _rank_lines(lines: Sequence[SummaryLine], material: SummaryMaterial, room: int, *, told: str) -> list[SummaryLine]:
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
        # Exact, for features come in the order of their hashes: a sum that is rounded on the way would depend on it.
        return lines[at].worth * (fsum(weights[one] for one in features[at]) - _MIN_NEW_WORDS) / costs[at]

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


def _features(line: SummaryLine) -> set[str]:
    """Words and names; that a file was changed, or a thing is left to do, is news even where its name was told."""
    own = {line.text} if line.section in {CODEBASE, PLAN} else set()
    return stems_in(line.text) | set(names_in(line.text)) | own


def _may_stand(line: SummaryLine, keep: Sequence[str]) -> bool:
    """False for what claims a role, unless a person said it, and for what says little but what is kept anyway."""
    is_kept = any(item in line.text and len(item) > _KEPT_SHARE * len(line.text) for item in keep if item)
    return (line.quoted or not claims_authority(line.text)) and not is_kept


def _weights(features: Sequence[set[str]], digests: Sequence[Digest]) -> dict[str, float]:
    """A word weighs one, a name that several segments speak of more."""
    spoken = Counter(fact.text for digest in digests for fact in digest.names)
    return {one: 1.0 + log2(1 + spoken[one]) for found in features for one in found}


def _sections(lines: Sequence[SummaryLine], root: str) -> list[SummarySection]:
    found = []
    for name in SECTIONS:
        own = sorted((line for line in lines if line.section == name), key=lambda line: line.place)
        texts = list(dict.fromkeys(f"- {neutralise(line.text)}" for line in own))
        if name == CODEBASE and root and texts:
            texts.insert(0, f"- {FOLDER_LINE}{root}")
        if texts:
            found.append(SummarySection(name, texts))
    return found


def _largest(number: int, fits: Callable[[int], bool]) -> int:
    low, high = 0, number
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _changed_files(digests: Sequence[Digest]) -> list[str]:
    return list(dict.fromkeys(file.text for digest in digests for file in digest.files if file.use is not FileUse.READ))
