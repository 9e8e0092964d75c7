"""Sections made of lines and units: those that name their source, those that fit, those that are chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clew.domain.ids import message_id
from clew.packing.fit import choose_units, lay_out, lay_out_earlier, longest_fitting_prefix
from clew.packing.formats import Format, PackSection, render_sections
from clew.ports import TokenCounter
from clew.units.unit import Unit

#: Characters per token, before a text has been counted; and how much more than fits is chosen, so that the exact
#: count decides.
CHARS_PER_TOKEN, _MARGIN = 4.0, 1.3
_SLACK_TOKENS = 8
#: Units that are tried to fill what the others leave.
_MAX_TRIES = 5


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
    told = (section.text for section in (*sections, *after))
    chosen = choose_units(units, max(0, left) * CHARS_PER_TOKEN * _MARGIN, told)

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

    costs = [len(unit.text) / CHARS_PER_TOKEN for unit in chosen]
    best = longest_fitting_prefix(costs, lambda number: size(chosen[:number]), budget, slack=_SLACK_TOKENS)
    return with_shown(_filled_up(chosen[:best], chosen[best + 1 :], size, budget))


def _filled_up(
    shown: Sequence[Unit], others: Iterable[Unit], size: Callable[[Sequence[Unit]], int], budget: int
) -> Sequence[Unit]:
    """The units, and the best of the others that fit into what those leave."""
    used, tries = size(shown), 0
    for unit in others:
        if tries == _MAX_TRIES or budget - used <= _SLACK_TOKENS:
            break
        if len(unit.text) / CHARS_PER_TOKEN <= budget - used:
            tries += 1
            more = size([*shown, unit])
            if more <= budget:
                shown, used = [*shown, unit], more
    return shown


def _sources(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(message_id(number) for number in sorted({unit.number for unit in units}))
