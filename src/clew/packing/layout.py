"""Layouts: the sections of a telling in the order in which they are read, what fills each, its share of the room, and
whose turn it is when room is short. One function fills them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from clew.domain.ids import message_id
from clew.packing.formats import PackSection
from clew.ports import TokenCounter
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.already_said import SaidText
from clew.units.choice import choose_units, fit_units
from clew.units.lay_out import lay_out, lay_out_earlier
from clew.units.unit import Unit

#: The sections in which chosen units stand.
EARLIER, WORK = "earlier-summary", "work"
#: How much more than fits is chosen, so that the exact count decides.
_MARGIN = 1.3
_SLACK_TOKENS = 8
#: Characters that a unit takes beside its own: id, speaker and line end.
_FRAME_CHARS = 12

_Telling = TypeVar("_Telling")
Sections = tuple[PackSection, ...]


class Content(NamedTuple):
    """What a section holds, and the ids it was made from."""

    text: str = ""
    sources: tuple[str, ...] = ()


class Slot(NamedTuple):
    """The room of a section, and what the sections hold that had their turn before it."""

    room: int
    told: Mapping[str, Content]


@dataclass(frozen=True, slots=True)
class Part(Generic[_Telling]):
    """A section of a layout.

    It is filled in its ``turn`` with what fits into ``share`` of the budget, and into ``most`` of what the turns before
    have left; until then it has at ``least`` what is guaranteed. What leaves no room for that is filled anew without
    any room.
    """

    name: str
    layer: int = 0
    turn: int = 0
    fill: Callable[[_Telling, Slot], Content] | None = None
    share: float = 1.0
    most: float = 1.0
    least: Callable[[_Telling], Content] | None = None


def fill_layout(
    layout: Sequence[Part[_Telling]], telling: _Telling, *, budget: int, size: Callable[[Sections], int]
) -> Sections:
    """Returns the sections of a layout within the budget, as far as what is guaranteed fits into it."""
    found: dict[str, Content] = {}
    left = budget - size(least_sections(layout, telling))
    for turn in sorted({part.turn for part in layout if part.fill}):
        for is_narrow in (False, True):
            for part in layout:
                if part.fill and part.turn == turn:
                    room = 0 if is_narrow else max(0, int(min(part.share * budget, part.most * left)))
                    found[part.name] = part.fill(telling, Slot(room, found))
            left_after = budget - size(least_sections(layout, telling, found))
            if left_after >= 0:
                break
        left = left_after
    return least_sections(layout, telling, found)


def least_sections(
    layout: Sequence[Part[_Telling]], telling: _Telling, found: Mapping[str, Content] = MappingProxyType({})
) -> Sections:
    """Returns the sections of a layout with what was ``found`` for them, and else with what is guaranteed."""

    def content(part: Part[_Telling]) -> Content:
        return found[part.name] if part.name in found else part.least(telling) if part.least else Content()

    return tuple(PackSection(part.name, part.layer, *content(part)) for part in layout)


def with_part(layout: tuple[Part[_Telling], ...], name: str, **shares: float) -> tuple[Part[_Telling], ...]:
    """Returns the layout with other shares for one of its sections."""
    return tuple(replace(part, **shares) if part.name == name else part for part in layout)  # type: ignore[arg-type]


def with_units(sections: Sections, units: Sequence[Unit], *, budget: int, size: Callable[[Sections], int]) -> Sections:
    """Returns the sections with as many units as the budget has room for in those that are theirs."""
    sections = without_units(sections)
    text = SaidText("\n".join(section.text for section in sections), weighs=False)
    room = max(0, budget - size(sections)) * CHARS_PER_TOKEN * _MARGIN
    chosen = choose_units(units, said_text=text, room=room, price=lambda unit: len(unit.text) + _FRAME_CHARS)

    def with_shown(shown: Sequence[Unit]) -> Sections:
        earlier, found = (tuple(unit for unit in shown if bool(unit.heading) is told) for told in (True, False))
        held = {EARLIER: (lay_out_earlier(earlier), earlier), WORK: (lay_out(found), found)}
        return tuple(_with_told(section, *held.get(section.name, ("", ()))) for section in sections)

    return with_shown(fit_units(chosen, lambda shown: size(with_shown(shown)), budget, slack=_SLACK_TOKENS))


def without_units(sections: Sections) -> Sections:
    """Returns the sections with nothing in those that chosen units stand in."""
    return tuple(
        replace(section, text="", sources=()) if section.name in (EARLIER, WORK) else section for section in sections
    )


def _with_told(section: PackSection, text: str, units: Sequence[Unit]) -> PackSection:
    sources = tuple(message_id(number) for number in sorted({unit.number for unit in units}))
    return replace(section, text=text, sources=sources) if text else section


# ── what sections hold ───────────────────────────────────────────────────────────────────────────────


def list_content(rows: Sequence[tuple[str, str]]) -> Content:
    """Returns texts, each after the id it was drawn from."""
    return lines_content([(id, f"{id} {text}") for id, text in rows])


def lines_content(rows: Sequence[tuple[str, str]]) -> Content:
    """Returns lines that name their source themselves."""
    return Content("\n".join(line for _, line in rows), tuple(id for id, _ in rows))


def facts_content(lines: Iterable[str]) -> Content:
    """Returns facts, each on a line of its own."""
    return Content("\n".join(f"- {line}" for line in lines))


def lines_that_fit(lines: Sequence[str], room: int, count: TokenCounter) -> list[str]:
    """Returns the lines that fit into the room, in order."""
    kept = []
    for line in lines:
        price = count(line) + 2
        if price <= room:
            kept.append(line)
            room -= price
    return kept
