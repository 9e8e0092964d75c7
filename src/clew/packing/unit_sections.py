"""Sections made of lines and units: those that name their source, those that fit, those that are chosen."""

from __future__ import annotations

from collections.abc import Sequence

from clew.domain.ids import message_id
from clew.packing.formats import Format, PackSection, render_sections
from clew.ports import TokenCounter
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.already_said import SaidText
from clew.units.choice import choose_units, fit_units
from clew.units.lay_out import lay_out, lay_out_earlier
from clew.units.unit import Unit

#: How much more than fits is chosen, so that the exact count decides.
_MARGIN = 1.3
_SLACK_TOKENS = 8
#: Characters that a unit takes beside its own: id, speaker and line end.
_FRAME_CHARS = 12


def list_section(name: str, layer: int, rows: Sequence[tuple[str, str]]) -> PackSection:
    """Returns a section of texts, each after the id it was drawn from."""
    return PackSection(name, layer, "\n".join(f"{id} {text}" for id, text in rows), tuple(id for id, _ in rows))


def lines_section(name: str, layer: int, rows: Sequence[tuple[str, str]]) -> PackSection:
    """Returns a section of lines that name their source themselves."""
    return PackSection(name, layer, "\n".join(line for _, line in rows), tuple(id for id, _ in rows))


def facts_section(name: str, layer: int, lines: Sequence[str]) -> PackSection:
    """Returns a section of facts, each on a line of its own."""
    return PackSection(name, layer, "\n".join(f"- {line}" for line in lines))


def lines_that_fit(lines: Sequence[str], room: int, count: TokenCounter) -> list[str]:
    """Returns the lines that fit into the room, in order."""
    kept = []
    for line in lines:
        price = count(line) + 2
        if price <= room:
            kept.append(line)
            room -= price
    return kept


def with_units(
    sections: tuple[PackSection, ...],
    units: Sequence[Unit],
    *,
    after: tuple[PackSection, ...] = (),
    budget: int,
    count: TokenCounter,
    format: Format,
) -> tuple[PackSection, ...]:
    """Returns the sections, as many units as the budget has room for, and the sections that come ``after`` them."""
    left = budget - count(render_sections((*sections, *after), format))
    said = SaidText("\n".join(section.text for section in (*sections, *after)), weighs=False)
    room = max(0, left) * CHARS_PER_TOKEN * _MARGIN
    chosen = choose_units(units, said=said, room=room, price=lambda unit: len(unit.text) + _FRAME_CHARS)

    def with_shown(shown: Sequence[Unit]) -> tuple[PackSection, ...]:
        earlier = [unit for unit in shown if unit.heading]
        found = [unit for unit in shown if not unit.heading]
        return (
            *sections,
            PackSection("earlier-summary", 3, lay_out_earlier(earlier), _sources(earlier)),
            PackSection("work", 3, lay_out(found), _sources(found)),
            *after,
        )

    def size(shown: Sequence[Unit]) -> int:
        return count(render_sections(with_shown(shown), format))

    shown = fit_units(chosen, size, budget, slack=_SLACK_TOKENS)
    return with_shown(shown)


def _sources(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(message_id(number) for number in sorted({unit.number for unit in units}))
