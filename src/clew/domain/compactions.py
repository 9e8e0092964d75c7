"""Compactions: the request for one, the trigger that causes it, and the report of what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Strategy(StrEnum):
    """How a compaction makes older parts smaller."""

    AUTO = "auto"  # the mildest one that reaches the target
    SUMMARIZE = "summarize"  # one summary, by a model or from digests
    SELECTIVE = "selective"  # relevant segments stay word for word
    CHUNKED = "chunked"  # runs of segments become key points
    AGGRESSIVE = "aggressive"  # a snapshot of two fifths of the usual size

    @property
    def uses_summary(self) -> bool:
        """True for strategies that may replace older messages by a model's summary."""
        return self in {Strategy.AUTO, Strategy.SUMMARIZE}


class Trigger(StrEnum):
    """Why an epoch started."""

    FIRST = "first"  # the stream had no epoch yet
    CHANGED = "changed"  # messages that had been sent have changed: a late output, a rewritten message
    EXCEEDED = "exceeded"  # the prompt no longer fits the budget
    HAND = "hand"  # somebody asked for it
    OVERFLOW = "overflow"  # the provider refused the prompt as too long
    HARD = "hard"  # the prompt reached compaction.hard_share of the budget
    SOFT = "soft"  # it reached compaction.soft_share, and a task just ended or the cache is cold
    PAYS = "pays"  # carrying the excess has cost as much as compacting
    COLD = "cold"  # the provider's cache has gone cold, so all would be written anew anyway
    DRIFT = "drift"  # so many rules are broken that they should be stated at the head again

    @property
    def is_automatic(self) -> bool:
        """True for compactions that Clew starts on its own. Those by hand have a ledger entry of their own."""
        return self not in {Trigger.FIRST, Trigger.CHANGED, Trigger.HAND, Trigger.OVERFLOW}

    @property
    def is_at_limit(self) -> bool:
        """True when nothing more could be sent.
        After such an epoch, an earlier undo no longer holds back automatic compactions.
        """
        return self in {Trigger.EXCEEDED, Trigger.HARD, Trigger.OVERFLOW}

    @property
    def is_forced(self) -> bool:
        """True when the epoch cannot go on, or somebody asked for a new one."""
        return self in {Trigger.FIRST, Trigger.CHANGED, Trigger.EXCEEDED, Trigger.HAND, Trigger.OVERFLOW}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionRequest:
    """Parameters of a compaction.

    ``tokens`` is the target size without system prompt and tools; 0 lets the budget decide. ``cap`` makes the target a
    hard limit. ``keep_recent`` is how many of the newest messages stay word for word; None keeps as many as fit.
    """

    trigger: Trigger = field(metadata={"key": "why"})
    strategy: Strategy = Strategy.AUTO
    tokens: int = 0
    keep_recent: int | None = None
    cap: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClippedMessage:
    """A message that is larger than its room, of which less is sent: ``shown`` of its ``tokens``."""

    id: str
    tokens: int
    shown: int


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a prompt."""

    tokens: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCounts:
    """``messages`` messages are no longer sent word for word; ``into`` headers, summaries or chunks stand for them."""

    messages: int
    into: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageBalance:
    """What became of the messages that were sent word for word.

    ``before`` is ``kept`` and ``summarized``; ``after`` is ``kept`` and ``restored``, which are word for word again.
    """

    before: int = 0
    kept: int = 0
    summarized: int = 0
    restored: int = 0
    after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBalance:
    """What makes up the tokens of a prompt: all fields but ``total`` add up to it.

    ``repairs`` is what a valid request takes beyond its messages; it may be less than nothing.
    """

    total: int = 0
    system: int = 0
    snapshot: int = 0
    kept: int = 0
    summarized: int = 0
    restored: int = 0
    repairs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """How the counts of a compaction add up. Messages that are kept may be shorter afterwards: their outputs shrink."""

    messages: MessageBalance = MessageBalance()
    tokens_before: TokenBalance = TokenBalance()
    tokens_after: TokenBalance = TokenBalance()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Report of a compaction that was done, or would be done.

    ``preserved`` counts by kind what the prompt still states, and the newest messages that are sent word for word.
    ``remembers`` lists what the assistant should know afterwards. ``rung`` says how the summary was made, by a model or
    from digests. ``undo`` is the call that takes the compaction back, empty if nothing was written. ``reason`` is
    the trigger, or why nothing was done. ``balance`` shows how the counts add up, and ``counted`` says how they were
    made. ``clipped`` are messages that are larger than their room, of which a part is sent.
    """

    before: Size
    after: Size
    preserved: dict[str, int] = field(default_factory=dict)
    summarized: SummaryCounts = SummaryCounts(messages=0, into=0)
    remembers: tuple[str, ...] = ()
    strategy: Strategy = Strategy.AUTO
    rung: str = ""
    undo: str = ""
    reason: str = ""
    balance: Balance = Balance()
    counted: str = ""
    clipped: tuple[ClippedMessage, ...] = ()

    @property
    def saved_tokens(self) -> int:
        """Tokens that the prompt became smaller by."""
        return self.before.tokens - self.after.tokens
