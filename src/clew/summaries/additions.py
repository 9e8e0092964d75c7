"""Additions to a good answer: what it must say and does not is added below it, and the whole fits its room."""

from __future__ import annotations

from collections.abc import Sequence

from clew.ports import TokenCounter
from clew.summaries.carry_over import carry_over_lines
from clew.summaries.checks import check_files_named, lost_items, unnamed_files
from clew.summaries.injected_orders import neutralise
from clew.summaries.sections import ACTIVE, CARRIED, FILES, KEPT, PLAN, SummarySection, join_sections, sections_of
from clew.summaries.values import SummaryMaterial, UnfitSummary

#: Shares of the room that additions may take: items kept word for word, names of files.
KEEP_SHARE, _FILES_SHARE = 0.5, 0.15
_MAX_FILES = 100
#: What the text leaves unused may be used for facts as well, up to so many times their share.
_UNUSED_SHARE = 2
#: A text of which less is left once it was cut is no longer the one that was written.
_LEFT_SHARE = 0.4
#: Sections that are cut last: without them nobody could go on.
_LAST = (ACTIVE, PLAN)


def complete_summary(
    text: str, material: SummaryMaterial, *, room: int, share: float, count: TokenCounter
) -> tuple[str, list[str]]:
    """Adds what the text lacks, within the room, and says what was done; UnfitSummary where too much would be cut.

    ``share`` is the part of the room that facts of the earlier summary may take.
    """
    missing = unnamed_files(text, material.files)
    if reason := check_files_named(missing, material.files):
        raise UnfitSummary(reason)
    lost, left_out = verbatim_lines(lost_items(text, material.keep), room=room, count=count)
    added = [SummarySection(KEPT, lost)] if lost else []
    if missing and (line := files_line(missing, room=int(room * _FILES_SHARE), count=count)):
        added.append(SummarySection("", [line]))
    if share and (lines := _facts_to_carry(join_sections([*sections_of(text), *added]), material, room, share, count)):
        added.append(SummarySection(CARRIED, lines))
    whole, cut = _join_within(text, added, room=room, count=count)
    if cut and count(whole) - count(join_sections(added)) < min(count(text), room) * _LEFT_SHARE:
        raise UnfitSummary(f"it has {count(text)} tokens, and cannot be cut to {room} at the end of a line")
    return whole, [*_findings(lost, missing, cut), *left_out]


def _facts_to_carry(said: str, material: SummaryMaterial, room: int, share: float, count: TokenCounter) -> list[str]:
    """Facts to add. An earlier summary has a right to its share; beyond that they get what the text leaves unused."""
    least = int(room * share) if material.before else 0
    unused = min(room - count(said) - count(f"## {CARRIED}\n"), int(room * share * _UNUSED_SHARE))
    return [neutralise(line) for line in carry_over_lines(said, material, room=max(least, unused), count=count)]


def _findings(lost: Sequence[str], missing: Sequence[str], cut: int) -> list[str]:
    found = [(len(lost), "critical items added word for word"), (len(missing), "names of edited files added")]
    return [f"{number} {what}" for number, what in [*found, (cut, "lines cut to fit the room")] if number]


def verbatim_lines(items: Sequence[str], *, room: int, count: TokenCounter) -> tuple[list[str], list[str]]:
    """Lines of items word for word, while they take at most their share of the room, and findings on the others."""
    lines: list[str] = []
    left = int(room * KEEP_SHARE) - count(f"## {KEPT}\n")
    out = 0
    for item in items:
        line = neutralise(item).strip()
        cost = count(line) + 3
        if cost <= left:
            lines.append(f"- {line}")
            left -= cost
        else:
            out += 1
    return lines, [f"{out} critical items found no room"] if out else []


def files_line(paths: Sequence[str], *, room: int, count: TokenCounter) -> str:
    """The files in one line, as many as there is room for."""
    chosen: list[str] = []
    left = room - count(FILES)
    for path in paths[:_MAX_FILES]:
        cost = count(f", {path}")
        if cost <= left:
            chosen.append(path)
            left -= cost
    return neutralise(FILES + ", ".join(chosen)) if chosen else ""


def _join_within(text: str, added: Sequence[SummarySection], *, room: int, count: TokenCounter) -> tuple[str, int]:
    """Text and additions; lines of the text give way, from the end of the longest section, the last ones last."""
    sections, cut = sections_of(text), 0
    whole = join_sections([*sections, *added])
    over = count(whole) - room
    costs = {id(section): [count(line) + 1 for line in section.lines] for section in sections}
    while over > 0 and any(section.lines for section in sections):
        while over > 0 and (longest := _longest(sections, costs)):
            over -= costs[id(longest)].pop()
            longest.lines.pop()
            cut += 1
        whole = join_sections([*sections, *added])
        over = count(whole) - room
    return whole, cut


def _longest(sections: Sequence[SummarySection], costs: dict[int, list[int]]) -> SummarySection | None:
    first = [section for section in sections if section.lines and section.name not in _LAST]
    others = [section for section in sections if section.lines]
    # A section keeps its first line while any other has more than one: no heading disappears for the sake of another.
    several = [section for section in first if len(section.lines) > 1]
    return max(several or first or others, key=lambda section: sum(costs[id(section)]), default=None)
