"""Records on their way into a ledger, and the cursor of the channel that reports them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from clew.domain import Record


@dataclass(frozen=True, slots=True)
class DecodedRecord:
    """A wire record with its format, its bytes and its decoded content."""

    format: str
    body: bytes
    record: Record


@dataclass(slots=True)
class ChannelCursor:
    """How a channel counts what it reports.

    ``appends`` is for a caller who hands in what is new: equal parts are new ones. Any other channel reports everything
    from the beginning, and ``counts`` holds how often it has reported each part so far.
    """

    channel: str
    appends: bool = False
    counts: Counter[bytes] = field(default_factory=Counter)


@dataclass(slots=True)
class AppendResult:
    """Result of one append: ``numbers`` of messages that are new or grew;
    ``known`` counts records that were not new.
    """

    entries: int = 0
    known: int = 0
    numbers: list[int] = field(default_factory=list)
