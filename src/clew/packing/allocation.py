"""Allocation of tokens to the branches of a request.

The caller's system prompt and tools, and the input, are sent byte for byte and take what they need. Knowledge (what was
retrieved for this turn) is entitled to its share. Conversation (snapshot and live tail) gets all the rest, and what it
cannot use goes back to knowledge. All numbers are integers: a larger total gives no branch less.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from clew.config import PackingConfig, ensure_shares
from clew.domain.checks import shown
from clew.errors import BudgetExceeded, UsageError
from clew.packing.inputs import InputKind
from clew.text.names import names_in, paths_in
from clew.text.sentences import sentences

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
            raise UsageError(f"a budget is a number of tokens, not {shown(self.total)}; give 8_000")
        if self.total < 1:
            raise UsageError(f"a budget of {self.total} tokens holds nothing; give 1 or more")
        ensure_shares({name: getattr(self, name) for name in _BRANCHES}, "the budget")

    def allocate(self, demands: Demands) -> Allocation:
        """Returns the tokens of each branch.
        Raises BudgetExceeded with a breakdown when system prompt and input do not fit.
        """
        room = self.total - demands.system - demands.query
        if room < 0:
            needed = {"system": demands.system, "query": demands.query}
            raise BudgetExceeded(self.total, {name: tokens for name, tokens in needed.items() if tokens})
        # Of one token more in the room, at most one goes to `entitled`: so the conversation never gets less, either.
        entitled = _capped(self._knowledge_of(room), demands.knowledge)
        conversation = _capped(room - entitled, demands.conversation)
        knowledge = _capped(room - conversation, demands.knowledge)
        return Allocation(system=demands.system, knowledge=knowledge, conversation=conversation, query=demands.query)

    def _knowledge_of(self, room: int) -> int:
        """Knowledge's share of the total. Where system and query overran theirs, knowledge and conversation bear it
        in proportion to their shares.
        """
        knowledge, conversation = round(self.knowledge * _WHOLE), round(self.conversation * _WHOLE)
        both = knowledge + conversation
        return min(self.total * knowledge // _WHOLE, room * knowledge // both) if both else 0


def _capped(tokens: int, demand: int | None) -> int:
    return tokens if demand is None else min(tokens, demand)


class Complexity(StrEnum):
    """How much a query asks for. Only ``high`` changes the shares; the other two are for reports."""

    SIMPLE = "simple"
    MEDIUM = "medium"
    HIGH = "high"


def budget_for(total: int, query: str, *, kind: InputKind, packing: PackingConfig = _USUAL) -> Budget:
    """Returns the budget for one input: shares depend on its complexity, and favour the conversation in a tool loop."""
    is_high = complexity(query, kind) is Complexity.HIGH
    shares = {name: getattr(packing, f"{'high_' if is_high else ''}{name}_share") for name in _BRANCHES}
    if kind is InputKind.TOOL_RESPONSE:
        moved = shares["knowledge"] * _LOOP_PART
        shares["knowledge"] -= moved
        shares["conversation"] += moved
    return Budget(total, **shares)


# ── how complex a query is ───────────────────────────────────────────────────────────────────────────

#: A question stands before or after pasted text, so this many sentences of each end are read.
_END_SENTENCES = 100
#: Work that spans things: comparing, designing, moving, changing in many places. Stems, as many languages share
#: them; in a path (docs/architecture) they are but names.
_SPANNING = re.compile(
    r"(?<![\w/.-])(compar|contrast|versus|vs\b(?! ?code)|trade-?offs?\b|pros and cons|alternativ|redesign|design"
    r"|ar[ck]hite[ck]t|arquitec?t|restructur|reorgani|refa[ck]tor|rewrit|migra|across\b|throughout\b|everywhere\b"
    r"|end[- ]to[- ]end)",
    re.IGNORECASE,
)
#: Words that join a further wish to the one before.
_JOINED = re.compile(r"\b(?:and then|also|additionally|furthermore|as well as|afterwards|finally)\b", re.IGNORECASE)
_QUESTION_ENDS = ("?", "？", "؟")
#: From this number on, names and paths are many; no more are looked for.
_MANY_THINGS = 6
#: A point for each step that a count reaches; words that span things weigh double.
_MEDIUM_POINTS, _HIGH_POINTS = 2, 4


def complexity(query: str, kind: InputKind = InputKind.USER_QUERY) -> Complexity:
    """Judges how complex a query is by its form alone, without a model.

    Tool responses are never judged: they ask nothing, and must not influence what is retrieved.
    """
    if kind is InputKind.TOOL_RESPONSE:
        return Complexity.SIMPLE
    said = _ends(sentences(query))  # fenced code is no prose: pasting much is not asking much
    text = "\n".join(said)
    spanning = 2 * _reached(len({found.lower() for found in _SPANNING.findall(text)}), (1, 2))
    wishes = _reached(sum(one.endswith(_QUESTION_ENDS) for one in said) + len(_JOINED.findall(text)), (2, 4))
    size = _reached(len(said), (3, 8))
    things = _reached(
        len(names_in(text, limit=_MANY_THINGS)) + len(paths_in(text, limit=_MANY_THINGS)), (3, _MANY_THINGS)
    )
    points = spanning + wishes + size + things
    # A pasted trace is long and full of names, and yet one wish: size and names alone do not make a query complex.
    if points >= _HIGH_POINTS and (spanning or wishes > 1):
        return Complexity.HIGH
    return Complexity.MEDIUM if points >= _MEDIUM_POINTS else Complexity.SIMPLE


def _reached(count: int, steps: Sequence[int]) -> int:
    """How many of the steps the count has reached."""
    return sum(count >= step for step in steps)


def _ends(said: tuple[str, ...]) -> tuple[str, ...]:
    return said if len(said) <= 2 * _END_SENTENCES else said[:_END_SENTENCES] + said[-_END_SENTENCES:]
