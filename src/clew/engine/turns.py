"""One turn: what a pack is made of beside the history, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clew.domain import Epoch, Json, Message, Repair, Shown, Tool, in_order
from clew.packing.allocation import Budget
from clew.packing.inputs import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The caller's part, the input and the messages that carry it, and what we add, as sections ``shown``: what was
    retrieved, ``reminders`` of items with the occasion of each, and items ``pinned`` that stand nowhere else."""

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    budget: Budget
    input: Input | None
    asked: tuple[Message, ...] = ()
    added: tuple[Message, ...] = ()
    shown: tuple[Shown, ...] = ()
    reminders: tuple[tuple[str, str], ...] = ()
    pinned: tuple[str, ...] = ()

    @property
    def messages(self) -> tuple[Message, ...]:
        return in_order(self.asked, self.added)

    @property
    def bare(self) -> Turn:
        """Without what was added: a new epoch brings in what it needs."""
        return replace(self, added=(), shown=(), reminders=(), pinned=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What is sent, and the epoch it belongs to; ``tail`` is what follows its snapshot word for word, ``settled`` the
    same made valid: what the next pack begins with."""

    body: Json | str
    tokens: int
    epoch: Epoch
    turn: Turn
    tail: tuple[Message, ...]
    settled: tuple[Message, ...] = ()
    sections: tuple[Shown, ...]
    repairs: tuple[Repair, ...] = ()
