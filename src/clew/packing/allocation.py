"""Allocation of tokens to the branches of a request.

The caller's system prompt and tools, and the input, are sent byte for byte and take what they need. Knowledge (what was
retrieved for this turn) is entitled to its share. Conversation (snapshot and live tail) gets all the rest, and what it
cannot use goes back to knowledge. All numbers are integers: a larger total gives no branch less.
"""

from __future__ import annotations

from dataclasses import dataclass

from clew.config import PackingConfig, ensure_shares
from clew.domain.checks import describe_value
from clew.errors import BudgetExceeded, UsageError
from clew.packing.inputs import InputKind
from clew.text.complexity import Complexity, complexity

_USUAL = PackingConfig()
_BRANCHES = ("system", "knowledge", "conversation", "query")
#: Shares are computed in millionths: .29 of 100 is 29, which floats get wrong.
_WHOLE = 1_000_000
#: In a tool loop this much of knowledge's share goes to the conversation. What the request needed was retrieved with
#: it and stands in the tail; the next step needs the steps just taken.
_LOOP_PART = 2 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """How many tokens each branch could use; None means as many as there are."""

    system: int = 0
    query: int = 0
    knowledge: int | None = 0
    conversation: int | None = None

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if (value := getattr(self, name)) is not None and value < 0:
                raise UsageError(f"{name} cannot demand {value} tokens; give 0 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Tokens of each branch.
    Together they never exceed the budget, and fall short of it only when no branch could use more.
    """

    system: int
    knowledge: int
    conversation: int
    query: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Tokens of a whole request (system, tools, context, input), and the share of each branch.

    Shares add up to 1. Room for the answer is not part of it.
    """

    total: int
    system: float = _USUAL.system_share
    knowledge: float = _USUAL.knowledge_share
    conversation: float = _USUAL.conversation_share
    query: float = _USUAL.query_share

    def __post_init__(self) -> None:
        if not isinstance(self.total, int) or isinstance(self.total, bool):
            raise UsageError(f"a budget is a number of tokens, not {describe_value(self.total)}; give 8_000")
        if self.total < 1:
            raise UsageError(f"a budget of {self.total} tokens holds nothing; give 1 or more")
        ensure_shares({name: getattr(self, name) for name in _BRANCHES}, "the budget")

    @property
    def shares(self) -> dict[str, float]:
        """The share of each branch, by its name."""
        return {name: round(getattr(self, name), 6) for name in _BRANCHES}

    def allocate(self, demands: Demands) -> Allocation:
        """Returns the tokens of each branch.
        Raises BudgetExceeded with a breakdown when system prompt and input do not fit.
        """
        room = self.total - demands.system - demands.query
        if room < 0:
            needed = {"system": demands.system, "query": demands.query}
            raise BudgetExceeded(self.total, {name: tokens for name, tokens in needed.items() if tokens})
        # Of one token more in the room, at most one goes to `entitled`: so the conversation never gets less, either.
        entitled = _cap(self._knowledge_of(room), demands.knowledge)
        conversation = _cap(room - entitled, demands.conversation)
        knowledge = _cap(room - conversation, demands.knowledge)
        return Allocation(system=demands.system, knowledge=knowledge, conversation=conversation, query=demands.query)

    def _knowledge_of(self, room: int) -> int:
        """Knowledge's share of the total. Where system and query overran theirs, knowledge and conversation bear it
        in proportion to their shares.
        """
        knowledge, conversation = round(self.knowledge * _WHOLE), round(self.conversation * _WHOLE)
        both = knowledge + conversation
        return min(self.total * knowledge // _WHOLE, room * knowledge // both) if both else 0


def _cap(tokens: int, demand: int | None) -> int:
    return tokens if demand is None else min(tokens, demand)


def budget_for(total: int, query: str, *, kind: InputKind, packing: PackingConfig = _USUAL) -> Budget:
    """Returns the budget for one input: shares depend on its complexity, and favour the conversation in a tool loop.

    Tool responses are never judged: they ask nothing, and must not influence what is retrieved.
    """
    is_high = kind is not InputKind.TOOL_RESPONSE and complexity(query) is Complexity.HIGH
    shares = {name: getattr(packing, f"{'high_' if is_high else ''}{name}_share") for name in _BRANCHES}
    if kind is InputKind.TOOL_RESPONSE:
        moved = shares["knowledge"] * _LOOP_PART
        shares["knowledge"] -= moved
        shares["conversation"] += moved
    return Budget(total, **shares)
