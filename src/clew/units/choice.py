"""The choice of units: by value, share and exact count, and none that says what was said already.

Every telling of a session chooses here: packs, stories, briefs for a summariser, patches of a summary.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from itertools import accumulate

from clew.text.telling_tokens import telling_tokens
from clew.text.trim import CHARS_PER_TOKEN
from clew.units.already_said import SaidText
from clew.units.unit import Section, Unit

#: What a unit is worth beside what has been said, never more than before.
Worth = Callable[[Unit, SaidText], float]
#: Units of less value are not shown in a pack, whatever room there is.
_LEAST_IN_PACK = 0.1
#: What a unit loses of its value when all of it has been said before.
_REPEATED = 0.85
#: A unit of many tokens of which this share has been said says nothing new.
_SAID_AGAIN, _MANY_TOKENS = 0.85, 8
#: What has been said leaves less of a unit that is told by now.
_STILL_MISSING = 0.3
#: A line of less value is not worth its place below a summary.
_LEAST_BELOW_SUMMARY = 0.002
#: Nothing has a price less than this.
_LEAST_LEFT = 12
#: Sizes that are measured where estimates point, before halving takes over; units that are tried to fill what the
#: others leave.
_AIMED_TRIES, _FILL_TRIES = 6, 5


def worth_in_pack(unit: Unit, said_text: SaidText) -> float:
    """Returns what a unit is worth in a pack: the less the more of it has been said, and nothing if almost all was."""
    share, tells_much = 1 - said_text.missing(unit.content), len(telling_tokens(unit.content)) >= _MANY_TOKENS
    value = 0.0 if share >= _SAID_AGAIN and tells_much else unit.value * (1 - _REPEATED * share**1.5)
    return value if value >= _LEAST_IN_PACK else 0.0


def worth_below_summary(unit: Unit, said_text: SaidText) -> float:
    """Returns the value of a unit that was found to be missing; nothing where units chosen since have told it."""
    if unit.is_compared and said_text.missing(unit.content) < _STILL_MISSING:
        return 0.0
    return unit.value if unit.value >= _LEAST_BELOW_SUMMARY else 0.0


def choose_units(
    units: Iterable[Unit],
    *,
    said_text: SaidText,
    room: float,
    price: Callable[[Unit], float],
    worth: Worth = worth_in_pack,
    shares: Mapping[Section, float] | None = None,
    opening: Callable[[Section], float] | None = None,
) -> list[Unit]:
    """Returns units in the order of their choice, the most valuable first, whose prices fit into the room together.

    What is chosen is ``said_text`` from then on. What a section has no share for waits until all have had theirs;
    ``opening`` is what the first unit of a section costs beside its price. Ties fall to the later unit.
    """
    ranked = sorted(units, key=lambda unit: (-unit.value, -unit.number, unit.position))
    #: What each is worth at most, its rank, and how many were chosen when that was found out.
    heap = [(-unit.value, rank, -1, unit) for rank, unit in enumerate(ranked)]
    chosen: list[Unit] = []
    spent: dict[Section, float] = {}

    def take(unit: Unit, share: float) -> bool:
        """Chooses a unit if there is room for it, and if its section does not take more than its share."""
        cost = price(unit) + (opening(unit.section) if opening and unit.section not in spent else 0)
        total = spent.get(unit.section, 0) + cost
        if cost > room - sum(spent.values()) or total > share * room:
            return False
        spent[unit.section] = total
        said_text.add(unit.line)
        chosen.append(unit)
        return True

    def next_best() -> Unit | None:
        """Takes the unit off the heap that is worth most now; None if none is worth anything. No unit is worth more
        than when it was last looked at, so that only those are looked at which could be the best."""
        left = room - sum(spent.values())
        while heap and left >= _LEAST_LEFT:
            _, rank, seen, unit = heappop(heap)
            if seen == len(chosen):
                return unit
            if value := worth(unit, said_text) if price(unit) <= left else 0.0:
                heappush(heap, (-value, rank, len(chosen), unit))
        return None

    waiting: list[Unit] = []
    while (unit := next_best()) is not None:
        if not take(unit, shares[unit.section] if shares else 1.0) and shares:
            waiting.append(unit)
    for unit in waiting:
        if worth(unit, said_text):
            take(unit, 1.0)
    return chosen


def lengthen_units(units: Sequence[Unit], *, room: float, price: Callable[[Unit], float]) -> list[Unit]:
    """Returns the units, those that were shortened with all of their text where that fits into what is left."""
    lengthened, left = list(units), room
    for index, unit in enumerate(units):
        whole = replace(unit, text=unit.longer)
        if unit.longer and (more := price(whole) - price(unit)) <= left:
            lengthened[index], left = whole, left - more
    return lengthened


def fit_units(
    units: Sequence[Unit], size: Callable[[Sequence[Unit]], int], room: int, *, slack: int = 0
) -> Sequence[Unit]:
    """Returns the first units whose exact size fits into the room, and others that fit into what those leave. What
    leaves no more than ``slack`` is good enough."""
    costs = [len(unit.text) / CHARS_PER_TOKEN for unit in units]
    best = longest_fitting_prefix(costs, lambda number: size(units[:number]), room, slack=slack)
    shown, tries = units[:best], 0
    used = size(shown)
    for unit, cost in zip(units[best + 1 :], costs[best + 1 :], strict=True):
        if tries == _FILL_TRIES or room - used <= slack:
            break
        if cost <= room - used:
            tries += 1
            if (more := size([*shown, unit])) <= room:
                shown, used = [*shown, unit], more
    return shown


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
