"""Chooses units by value until the room is used, and lays the chosen ones out in the order of the conversation."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from clew.domain.ids import message_id
from clew.units.terms import terms_of
from clew.units.unit import Unit

#: Units of less value are not shown, whatever room there is.
_MIN_VALUE = 0.1
#: What a unit loses of its value when all of its terms have been said by units chosen before it.
_REPEATED = 0.85
#: A unit with many terms of which this share has been said says nothing new.
_SAID_AGAIN, _MANY_TERMS = 0.85, 8
#: How many of the best are compared at each choice.
_COMPARED = 60
#: Characters that a unit takes beside its own: id, speaker and line end.
_FRAME_CHARS = 12
#: Sizes that are measured where estimates point, before halving takes over.
_AIMED_TRIES = 6


def choose_units(units: Sequence[Unit], chars: float, shown: Iterable[str] = ()) -> list[Unit]:
    """Returns units, the most valuable first, that take about so many characters together.

    One that repeats what was chosen already, or what the texts ``shown`` beside them say, counts for less. Ties fall to
    the later unit.
    """
    pool = sorted(units, key=lambda unit: (-unit.value, -unit.number, unit.position))
    terms = {id(unit): terms_of(unit.text) for unit in pool}
    said: set[str] = set().union(*(terms_of(text) for text in shown))
    bounds: dict[int, float] = {}
    chosen: list[Unit] = []
    while pool and chars > _FRAME_CHARS:
        value, at = _best(pool, terms, said, bounds)
        unit = pool.pop(at)
        if value < _MIN_VALUE:
            break
        if len(unit.text) + _FRAME_CHARS <= chars:
            chosen.append(unit)
            chars -= len(unit.text) + _FRAME_CHARS
            said |= terms[id(unit)]
    return chosen


def _best(
    pool: Sequence[Unit], terms: Mapping[int, frozenset[str]], said: set[str], bounds: dict[int, float]
) -> tuple[float, int]:
    """The highest value among the first, and its place. None is worth more than before anything was said, so that the
    search ends where even that is less than the best; nor more than when it was last looked at: so much is in
    ``bounds``, and one that cannot be the best is not looked at again.
    """
    best, place = -1.0, 0
    for at, unit in enumerate(pool[:_COMPARED]):
        if unit.value < best:
            break
        if bounds.get(id(unit), unit.value) > best:
            value = bounds[id(unit)] = _value(unit, terms[id(unit)], said)
            if value > best:
                best, place = value, at
    return best, place


def _value(unit: Unit, terms: frozenset[str], said: set[str]) -> float:
    share = len(terms & said) / max(1, len(terms))
    if share >= _SAID_AGAIN and len(terms) >= _MANY_TERMS:
        return 0.0
    return float(unit.value * (1 - _REPEATED * share**1.5))


def lay_out(units: Sequence[Unit]) -> str:
    """Returns units as lines in the order of the conversation; each says where it stands and who speaks."""
    lines: list[str] = []
    before: tuple[int, str] | None = None
    for unit in sorted(units, key=lambda unit: (unit.number, unit.position)):
        text = unit.text.replace("\n", "\n  ")
        here = (unit.number, str(unit.speaker))
        lines.append(f"  {text}" if here == before else f"{message_id(unit.number)} {unit.speaker}: {text}")
        before = here
    return "\n".join(lines)


def lay_out_earlier(units: Sequence[Unit]) -> str:
    """Returns the items of an earlier summary under their headings, in its order."""
    lines: list[str] = []
    heading = ""
    for unit in sorted(units, key=lambda unit: (unit.number, unit.position)):
        if unit.heading != heading:
            lines.append(unit.heading)
            heading = unit.heading
        lines.append("  " + unit.text.replace("\n", "\n  "))
    return "\n".join(lines)


def longest_fitting_prefix(costs: Sequence[float], size: Callable[[int], int], limit: int, *, slack: int = 0) -> int:
    """Returns the largest number of first pieces whose exact size is within the limit; 0 is assumed to fit.

    ``costs`` are estimates: the better they are, the fewer sizes are measured.
    A result that leaves no more than ``slack`` unused is good enough.
    """
    ahead = [0.0, *accumulate(costs)]
    low, high, low_size, scale, tries = 0, len(costs), size(0), 1.0, 0
    while low < high and limit - low_size > slack:
        tries += 1
        aimed = bisect_right(ahead, ahead[low] + (limit - low_size) / scale) - 1
        # Estimates that lead nowhere are given up: halving always ends.
        probe = min(max(aimed, low + 1), high) if tries <= _AIMED_TRIES else (low + high + 1) // 2
        measured = size(probe)
        scale = max((measured - low_size) / max(ahead[probe] - ahead[low], 1e-9), 1e-9)
        if measured <= limit:
            low, low_size = probe, measured
        else:
            high = probe - 1
    return low
