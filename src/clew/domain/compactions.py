"""Compactions: what is asked for, why an epoch begins, and what is told of it afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Strategy(StrEnum):
    """How older parts become smaller. AUTO takes the mildest that reaches what is asked for."""

    AUTO = "auto"
    SUMMARIZE = "summarize"
    SELECTIVE = "selective"
    CHUNKED = "chunked"
    AGGRESSIVE = "aggressive"


class Why(StrEnum):
    """What an epoch began for."""

    FIRST = "first"
    CHANGED = "changed"  # what had been sent is no longer so: a late output, a rewritten message
    EXCEEDED = "exceeded"  # what is to be sent no longer fits
    HAND = "hand"
    OVERFLOW = "overflow"  # the provider refused it as too long
    HARD = "hard"
    SOFT = "soft"
    PAYS = "pays"
    COLD = "cold"  # the provider's cache has gone cold, so all would be written anew anyway
    DRIFT = "drift"

    @property
    def is_forced(self) -> bool:
        """True where going on as before is impossible, or somebody asked for it."""
        return self in {Why.FIRST, Why.CHANGED, Why.EXCEEDED, Why.HAND, Why.OVERFLOW}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a compaction is to come to: ``tokens`` for all that follows system prompt and tools, 0 for as many as the
    line's budget suggests, and never more where it is a ``cap``; so many of the newest messages word for word, None for
    what fits."""

    why: Why
    strategy: Strategy = Strategy.AUTO
    tokens: int = 0
    keep_recent: int | None = None
    cap: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    tokens: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summarized:
    """So many messages are no longer sent word for word; so many headers, summaries or chunks stand for them."""

    messages: int
    into: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """What a compaction did, or would do.

    ``preserved`` counts what stands in the prompt afterwards, by kind, and the newest messages that are sent word for
    word. ``remembers`` is what the assistant should now know. ``rung`` tells who summarised. ``undo`` is how to take it
    back; empty when nothing was written.
    """

    before: Size
    after: Size
    preserved: dict[str, int] = field(default_factory=dict)
    summarized: Summarized = Summarized(messages=0, into=0)
    remembers: tuple[str, ...] = ()
    strategy: Strategy = Strategy.AUTO
    rung: str = ""
    undo: str = ""
    reason: str = ""

    @property
    def saved_tokens(self) -> int:
        return self.before.tokens - self.after.tokens
