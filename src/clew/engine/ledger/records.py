"""Records on their way into a ledger, and the cursor of the channel that reports them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from clew.domain import Record


@dataclass(frozen=True, slots=True)
class DecodedRecord:
    """A wire record with its format, its bytes and its decoded content."""

    format: str
    body: bytes
    record: Record


class ChannelKind(StrEnum):
    """How a channel reports a conversation.

    A caller hands in what is new: equal parts are new ones. A whole channel (a transcript, a gateway) reports
    everything, so that it can count: its second "yes" is the second one recorded. A reporter (a hook) tells words in
    order, perhaps late or again; beside a whole channel, which brings what is said twice, its repetitions add nothing.
    A log is handed items one by one: each is new, also one that the session ends with.
    """

    CALLER = "caller"
    LOG = "log"
    REPORTER = "reporter"
    WHOLE = "whole"


@dataclass(slots=True)
class ChannelCursor:
    """A channel and its kind; ``counts`` holds how often a whole channel has reported each part so far."""

    channel: str
    kind: ChannelKind = ChannelKind.WHOLE
    counts: Counter[bytes] = field(default_factory=Counter)

    @property
    def appends(self) -> bool:
        """True for a channel that may begin with what the session already ends with."""
        return self.kind in (ChannelKind.CALLER, ChannelKind.REPORTER)


@dataclass(slots=True)
class AppendResult:
    """Result of one append: ``numbers`` of messages that are new or grew, ``new`` of them new;
    ``known`` counts records that were not new.
    """

    entries: int = 0
    known: int = 0
    numbers: list[int] = field(default_factory=list)
    new: int = 0
