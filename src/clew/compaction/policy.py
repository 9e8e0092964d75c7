"""When a conversation is compacted.

Whoever goes on pays for all that is carried, at every call. Whoever compacts pays once: the new prefix is written, and
something will have to be read again. How long a session lasts nobody knows, so Clew decides as one decides between
renting and buying skis: when what was paid for carrying the excess has reached what compacting costs. However the
session goes on, that is never more than twice what would have been best, and for one that grows evenly it is the best.
A border that comes by itself (a task is done, the cache is cold) is worth waiting for, or going a little early for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.compaction.prices import TOKENS, Price
from clew.config import CompactionConfig
from clew.domain import Why

#: At a natural border it is enough to have paid this share of the price; amid a task, Clew waits for so much of it.
_AT_BORDER, _AMID_TASK = 0.6, 1.5
#: Calls that an agent makes to read again what it misses.
_MORE_CALLS = 2
#: Nothing is compacted for its price that would not at least halve; near the limit, less is enough.
_LEAST_RATIO, _LEAST_RATIO_AT_LIMIT = 2.0, 1.25
#: What grows by so much more makes it due is near.
_SOON = 1.3
#: A compaction that frees less than this share was not worth it.
LEAST_FREED = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What a line carries, in tokens.

    ``limit`` is what may be sent; ``system`` and ``context`` are what is. A new epoch would leave ``next`` of the
    context, and ``reread`` would have to be read again. ``excess`` is what was sent beyond ``next`` since the epoch
    began, summed over its calls; ``calls`` are those of the whole session. It ``has_drifted`` when rules were broken
    since the epoch began, so many that they should stand at the head of the prompt again.
    """

    limit: int
    system: int
    context: int
    next: int
    reread: int
    excess: int
    calls: int
    at_border: bool = False
    is_cold: bool = False
    has_drifted: bool = False

    @property
    def share(self) -> float:
        return (self.system + self.context) / self.limit


def due(carried: Carried, config: CompactionConfig, price: Price) -> Why | None:
    """Why to compact now, or None to go on."""
    if not config.auto or carried.context < _LEAST_RATIO_AT_LIMIT * carried.next:
        return None
    if config.on_hard and carried.share >= config.hard_share:
        return Why.HARD
    if config.on_soft and carried.share >= config.soft_share and (carried.at_border or carried.is_cold):
        return Why.SOFT
    if config.when == "late" or carried.context < max(config.floor_tokens, _LEAST_RATIO * carried.next):
        return None
    if config.on_drift and carried.has_drifted and carried.at_border:
        return Why.DRIFT
    if config.on_cold and carried.is_cold:
        return Why.COLD
    return Why.PAYS if config.on_price and pays(carried, price if config.counts == "money" else TOKENS) else None


def near(carried: Carried, config: CompactionConfig, price: Price) -> bool:
    """True when it will be due soon: time to make ready."""
    grown = replace(
        carried, context=int(carried.context * _SOON), excess=int(carried.excess * _SOON**2), at_border=True
    )
    return due(replace(grown, is_cold=True), config, price) is not None  # a cold cache comes without warning


def pays(carried: Carried, price: Price) -> bool:
    """True when carrying has cost what compacting costs, and as many calls again would bring that back."""
    cost = cost_of(carried, price)
    expected = carried.calls * price.read * (carried.context - carried.next)
    wanted = _AT_BORDER if carried.at_border else _AMID_TASK
    return carried.excess * price.read >= wanted * cost and expected >= cost


def cost_of(carried: Carried, price: Price) -> float:
    """What a compaction costs, in tokens at the price of sending: the new prefix, and what is read again."""
    again = carried.reread * price.write + _MORE_CALLS * price.read * (carried.system + carried.next)
    return carried.next * price.write + (again if carried.reread else 0.0)
