"""Units as text: in the order of the conversation, or under the headings of an earlier summary or of sections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from clew.units.unit import GAP, Section, Unit, indent


def _by_place(unit: Unit) -> tuple[int, int]:
    return unit.number, unit.position


def lay_out(units: Sequence[Unit]) -> str:
    """Returns units as lines in the order of the conversation; each says where it stands and who speaks."""
    lines: list[str] = []
    before = ""
    for unit in sorted(units, key=_by_place):
        text = indent(unit.text)
        lines.append(f"  {text}" if unit.origin == before else f"{unit.origin}{text}")
        before = unit.origin
    return "\n".join(lines)


def lay_out_earlier(units: Sequence[Unit]) -> str:
    """Returns the items of an earlier summary under their headings, in its order."""
    lines: list[str] = []
    for heading, group in groupby(sorted(units, key=_by_place), key=lambda unit: unit.heading):
        lines += [heading, *(f"  {indent(unit.text)}" for unit in group)]
    return "\n".join(lines)


def lay_out_sections(units: Sequence[Unit], headings: Mapping[Section, str]) -> str:
    """Returns units under the headings of their sections: corrections and state by value, all else as it came."""
    parts: list[str] = []
    for section, heading in headings.items():
        if members := [unit for unit in units if unit.section is section]:
            members.sort(key=lambda unit: (-unit.value if section <= Section.STATE else 0.0, *_by_place(unit)))
            parts += [heading, *list_lines(members)]
    return "\n".join(parts)


def list_lines(units: Sequence[Unit]) -> Iterator[str]:
    """Yields units as items of a list; those with the same words before them stand together behind these."""
    for (_, lead), group in groupby(units, key=lambda unit: (unit.origin, unit.lead)):
        if lead:
            first, *others = group
            yield list_line(first) + "".join(f"; {unit.text.removeprefix(f'{GAP} ')}" for unit in others)
        else:
            yield from map(list_line, group)


def list_line(unit: Unit) -> str:
    """Returns a unit as an item of a list."""
    return f"- {indent(unit.line)}"
