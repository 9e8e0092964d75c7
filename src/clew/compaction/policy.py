"""The compaction policy is a ski-rental rule (decision 0010):
compact when carrying the excess has cost as much as compacting would.

Going on costs money at every call, for all that is carried. Compacting costs once: the new prefix is written to the
cache, and something will be read again. Nobody knows how long a session lasts. Whatever happens, this rule costs at
most twice the best possible, and it is the best for a session that grows evenly. A natural border (a task is done, the
cache is cold) lets Clew compact a little earlier; amid a task it waits a little longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.compaction.prices import PER_TOKEN, Price
from clew.config import CompactionConfig
from clew.domain import Trigger

#: Share of the cost of compacting that must have been paid for the excess: at a natural border, and amid a task.
_AT_BORDER, _AMID_TASK = 0.6, 1.5
#: Calls that an agent makes after a compaction to read again what it misses.
_MORE_CALLS = 2
#: Least ratio of the context before to the one after: when compacting for its price, and near the limit.
_LEAST_RATIO, _LEAST_RATIO_AT_LIMIT = 2.0, 1.25
#: A compaction is near when growth by this factor would make it due.
_SOON = 1.3
#: Least share of the prompt that a compaction must free.
LEAST_FREED = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLoad:
    """What one prompt carries, in tokens, as the policy needs it.

    ``limit`` is what may be sent; ``system`` and ``context`` are what is sent. A new epoch would leave ``next`` of the
    context, and ``reread`` would be read again. ``excess`` is what was sent beyond ``next``, summed over the calls of
    this epoch; ``calls`` counts those of the whole session. ``has_drifted`` says that so many rules were broken in this
    epoch that they should stand at the head of the prompt again.
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
        """The prompt as a share of the limit."""
        return (self.system + self.context) / self.limit


def frees_enough(before: int, after: int) -> bool:
    """Returns True when shrinking a prompt from ``before`` to ``after`` tokens frees at least a tenth of it."""
    return after <= before * (1 - LEAST_FREED)


def trigger_due(load: PromptLoad, config: CompactionConfig, price: Price) -> Trigger | None:
    """Returns the trigger that says to compact now; None to go on."""
    if not config.auto or load.context < _LEAST_RATIO_AT_LIMIT * load.next:
        return None
    if config.on_hard and load.share >= config.hard_share:
        return Trigger.HARD
    if config.on_soft and load.share >= config.soft_share and (load.at_border or load.is_cold):
        return Trigger.SOFT
    if config.preset == "late" or load.context < max(config.floor_tokens, _LEAST_RATIO * load.next):
        return None
    if config.on_drift and load.has_drifted and load.at_border:
        return Trigger.DRIFT
    if config.on_cold and load.is_cold:
        return Trigger.COLD
    return Trigger.PAYS if config.on_price and pays(load, price if config.counts == "money" else PER_TOKEN) else None


def is_near(load: PromptLoad, config: CompactionConfig, price: Price) -> bool:
    """Returns True when a compaction will be due soon, so that it is time to prepare one."""
    grown = replace(load, context=int(load.context * _SOON), excess=int(load.excess * _SOON**2), at_border=True)
    return trigger_due(replace(grown, is_cold=True), config, price) is not None  # a cold cache comes without warning


def pays(load: PromptLoad, price: Price) -> bool:
    """Returns True when carrying the excess has cost as much as compacting, and as many calls again would earn that
    back.
    """
    cost = cost_of(load, price)
    expected = load.calls * price.read_ratio * (load.context - load.next)
    wanted = _AT_BORDER if load.at_border else _AMID_TASK
    return load.excess * price.read_ratio >= wanted * cost and expected >= cost


def cost_of(load: PromptLoad, price: Price) -> float:
    """Returns the cost of a compaction in tokens at the price of sending: writing the new prefix, and reading again."""
    again = load.reread * price.write_ratio + _MORE_CALLS * price.read_ratio * (load.system + load.next)
    return load.next * price.write_ratio + (again if load.reread else 0.0)
