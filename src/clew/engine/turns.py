"""One turn: what a pack is made of beside the history, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from clew.domain import Epoch, Json, Message, Repair, Shown, Tool
from clew.packing.inputs import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """The caller's part, what we add (drawn from ``sources``), and the input."""

    system: tuple[Message, ...]
    tools: tuple[Tool, ...]
    input: Input | None
    added: tuple[Message, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def asked(self) -> tuple[Message, ...]:
        return self.input.messages() if self.input else ()

    @property
    def messages(self) -> tuple[Message, ...]:
        return (*self.added, *self.asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What is sent, and the epoch it belongs to."""

    body: Json | str
    tokens: int
    epoch: Epoch
    turn: Turn
    sections: tuple[Shown, ...]
    repairs: tuple[Repair, ...] = ()
