"""Chooses lines by value until a budget is used, and lays the chosen ones out in the order in which they are read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from clew.ports import TokenCounter
from clew.summary_patch.patch_lines import PatchLine, PatchSection
from clew.summary_patch.summary_text import SummaryText
from clew.units.unit import GAP

#: Shares of a patch that a section may take before the others have had theirs.
_SHARES = {
    PatchSection.CORRECTION: 0.6,
    PatchSection.STATE: 0.5,
    PatchSection.SAID: 0.4,
    PatchSection.WORK: 0.5,
    PatchSection.PLACES: 0.35,
    PatchSection.LAST: 0.35,
}
#: A line of less value is not worth its place, and no line has so few tokens.
_LEAST_VALUE, _LEAST_TOKENS = 0.002, 12
#: Words that lead to items are so many characters long.
_LEAST_LEAD = 12
#: A line is told by now if what was chosen before it leaves less of it.
_STILL_MISSING = 0.3
_HEADINGS = {
    PatchSection.CORRECTION: "Corrections:",
    PatchSection.STATE: "State in the records:",
    PatchSection.SAID: "Said by people:",
    PatchSection.WORK: "Found, decided and done:",
    PatchSection.PLACES: "Where files were changed:",
    PatchSection.LAST: "Last steps:",
}


class LineChoice:
    """Lines that were chosen for a patch of a summary, within a budget in tokens."""

    def __init__(self, held: SummaryText, *, budget: int, count: TokenCounter) -> None:
        self._held, self._budget, self._count = held, budget, count
        self._used: dict[PatchSection, int] = {}
        self.lines: list[PatchLine] = []

    def choose(self, lines: Iterable[PatchLine]) -> None:
        """Chooses the lines of most value; none says what one before it said. What a section has no share for waits
        until all have had theirs."""
        worth = [line for line in lines if line.value >= _LEAST_VALUE]
        ranked = sorted(worth, key=lambda line: (-line.value, -line.number, line.position))
        waiting = [line for line in ranked if not self._take(line, share=_SHARES[line.section])]
        for line in waiting:
            self._take(line, share=1.0)
        self.lines = [self._lengthen(line) for line in self.lines]

    def _lengthen(self, line: PatchLine) -> PatchLine:
        """The line with all of its text, where there is room left for that."""
        whole = replace(line, text=line.longer)
        more = self._count(_line_text(whole)) - self._count(_line_text(line))
        if not line.longer or more > self._budget - sum(self._used.values()):
            return line
        self._used[line.section] += more
        return whole

    def _take(self, line: PatchLine, *, share: float) -> bool:
        left = self._budget - sum(self._used.values())
        if left < _LEAST_TOKENS or (line.is_compared and self._held.missing(line.content) < _STILL_MISSING):
            return False
        heading = 0 if line.section in self._used else self._count(_HEADINGS[line.section]) + 1
        price = self._count(_line_text(line)) + 1 + heading
        used = self._used.get(line.section, 0) + price
        if price > left or used > share * self._budget:
            return False
        self._used[line.section] = used
        self._held.add(line.text)
        self.lines.append(line)
        return True


def render_lines(lines: Sequence[PatchLine]) -> str:
    """Returns lines under the headings of their sections: corrections and state by value, all else as it came."""
    parts: list[str] = []
    for section in PatchSection:
        if found := sorted((line for line in lines if line.section is section), key=_place):
            parts += [_HEADINGS[section], *_with_leads_once(found)]
    return "\n".join(parts)


def _with_leads_once(lines: Sequence[PatchLine]) -> list[str]:
    """The lines as text; items of one list stand together behind the words that lead to them."""
    found: list[str] = []
    before, lead = "", ""
    for shown in map(_line_text, lines):
        lead = lead if lead and shown.startswith(lead) else _lead(before, shown)
        if lead:
            found[-1] += f"; {shown.removeprefix(lead).removeprefix(f'{GAP} ')}"
        else:
            found.append(shown)
        before = shown
    return found


def _lead(first: str, second: str) -> str:
    """The words up to a colon with which both lines begin, after the same speaker; empty if there are none."""
    common = posixpath.commonprefix([first, second])
    lead = common[: common.rfind(": ") + 2] if ": " in common else ""
    return lead if lead.count(": ") > 1 and len(lead.partition(": ")[2]) >= _LEAST_LEAD else ""


def _line_text(line: PatchLine) -> str:
    return "- " + line.text.replace("\n", "\n  ")


def _place(line: PatchLine) -> tuple[float, int, int]:
    return (-line.value if line.section <= PatchSection.STATE else 0.0, line.number, line.position)
