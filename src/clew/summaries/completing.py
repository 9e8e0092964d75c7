"""A good answer made complete: what it must say and does not is added below it, and the whole fits its room."""

from __future__ import annotations

from collections.abc import Sequence

from clew.summaries.carrying import carried
from clew.summaries.checks import lost_items, silent_on_files, unnamed_files
from clew.summaries.clipping import Count
from clew.summaries.planted import harmless
from clew.summaries.sections import ACTIVE, CARRIED, FILES, KEPT, PLAN, Section, joined, sections_of
from clew.summaries.values import Material, Unfit

#: Shares of the room that additions may take: items kept word for word, names of files.
KEEP_SHARE, _FILES_SHARE = 0.5, 0.15
_MAX_FILES = 100
#: What the text leaves unused may be used for facts as well, up to so many times their share.
_UNUSED_SHARE = 2
#: A text of which less is left once it was cut is no longer the one that was written.
_LEFT_SHARE = 0.4
#: Sections that are cut last: without them nobody could go on.
_LAST = (ACTIVE, PLAN)


def completed(text: str, material: Material, *, room: int, share: float, count: Count) -> tuple[str, list[str]]:
    """The text with what it lacks, within the room, and what was done to it; Unfit where that is too much.

    ``share`` is the part of the room that facts of the earlier summary may take.
    """
    missing = unnamed_files(text, material.files)
    if reason := silent_on_files(missing, material.files):
        raise Unfit(reason)
    lost, left_out = kept_lines(lost_items(text, material.keep), room=room, count=count)
    added = [Section(KEPT, lost)] if lost else []
    if missing and (line := files_line(missing, room=int(room * _FILES_SHARE), count=count)):
        added.append(Section("", [line]))
    if share and (lines := _carried(joined([*sections_of(text), *added]), material, room, share, count)):
        added.append(Section(CARRIED, lines))
    whole, cut = _together(text, added, room=room, count=count)
    if cut and count(whole) - count(joined(added)) < min(count(text), room) * _LEFT_SHARE:
        raise Unfit(f"it has {count(text)} tokens, and cannot be cut to {room} at the end of a line")
    return whole, [*_told(lost, missing, cut), *left_out]


def _carried(said: str, material: Material, room: int, share: float, count: Count) -> list[str]:
    """Facts to add. An earlier summary has a right to its share; beyond that they get what the text leaves unused."""
    least = int(room * share) if material.before else 0
    unused = min(room - count(said) - count(f"## {CARRIED}\n"), int(room * share * _UNUSED_SHARE))
    return [harmless(line) for line in carried(said, material, room=max(least, unused), count=count)]


def _told(lost: Sequence[str], missing: Sequence[str], cut: int) -> list[str]:
    found = [(len(lost), "critical items added word for word"), (len(missing), "names of edited files added")]
    return [f"{number} {what}" for number, what in [*found, (cut, "lines cut to fit the room")] if number]


def kept_lines(items: Sequence[str], *, room: int, count: Count) -> tuple[list[str], list[str]]:
    """Items word for word as lines, while they take at most their share of the room; and what is said of the others."""
    lines: list[str] = []
    left = int(room * KEEP_SHARE) - count(f"## {KEPT}\n")
    out = 0
    for item in items:
        line = harmless(item).strip()
        cost = count(line) + 3
        if cost <= left:
            lines.append(f"- {line}")
            left -= cost
        else:
            out += 1
    return lines, [f"{out} critical items found no room"] if out else []


def files_line(paths: Sequence[str], *, room: int, count: Count) -> str:
    """The files in one line, as many as there is room for."""
    chosen: list[str] = []
    left = room - count(FILES)
    for path in paths[:_MAX_FILES]:
        cost = count(f", {path}")
        if cost <= left:
            chosen.append(path)
            left -= cost
    return harmless(FILES + ", ".join(chosen)) if chosen else ""


def _together(text: str, added: Sequence[Section], *, room: int, count: Count) -> tuple[str, int]:
    """Text and additions; lines of the text give way, from the end of the longest section, the last ones last."""
    sections, cut = sections_of(text), 0
    whole = joined([*sections, *added])
    over = count(whole) - room
    costs = {id(section): [count(line) + 1 for line in section.lines] for section in sections}
    while over > 0 and any(section.lines for section in sections):
        while over > 0 and (longest := _longest(sections, costs)):
            over -= costs[id(longest)].pop()
            longest.lines.pop()
            cut += 1
        whole = joined([*sections, *added])
        over = count(whole) - room
    return whole, cut


def _longest(sections: Sequence[Section], costs: dict[int, list[int]]) -> Section | None:
    first = [section for section in sections if section.lines and section.name not in _LAST]
    others = [section for section in sections if section.lines]
    # A section keeps its first line while any other has more than one: no heading disappears for the sake of another.
    several = [section for section in first if len(section.lines) > 1]
    return max(several or first or others, key=lambda section: sum(costs[id(section)]), default=None)
