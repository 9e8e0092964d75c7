"""What a reply is made of, and how much a model may write in its blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from clew.domain import Call, Finding, Housekeeping

#: Some 2,000 tokens: a block beyond that costs more to write than it saves to remember.
MAX_BLOCK_CHARS = 8_000
#: A header is shown with at most 12 tokens, a summary with at most 120; ten characters to a token is generous.
MAX_HEADER_CHARS = 120
MAX_SUMMARY_CHARS = 1_200
#: One decision, one change: a sentence or two. Paths of source trees stay below this as well.
MAX_LINE_CHARS = 400
#: Decisions, changes or ids in one list; a turn that has more is not noting but copying.
MAX_ITEMS = 20
#: Requests in one reply; each may name MAX_ITEMS ids, and the quota of a turn holds fewer.
MAX_REQUESTS = 4

#: x7, x7.2, m12, m12@2, b and hex digits, runs such as x1-x20, chunks such as deploy#3: what can be echoed safely.
#: Whether it exists is for the lookup to say.
_ID = re.compile(r"[a-z][0-9a-f]{1,64}(?:[.@-][a-z]?[0-9]{1,9}){0,3}|[A-Za-z0-9][A-Za-z0-9._/-]{0,119}#[0-9]{1,6}")


class Format(StrEnum):
    """The size that is asked for; mixed is full for the first, and smaller as the quota runs out."""

    HEADER = "header"
    SUMMARY = "summary"
    FULL = "full"
    MIXED = "mixed"


class Priority(StrEnum):
    """Who comes first when not all fits: the newest, the closest to the query, or as they were named."""

    RECENT = "recent"
    RELEVANT = "relevant"
    SPECIFIC = "specific"


@dataclass(frozen=True, slots=True)
class RetrievalRequest:
    """What a model wants to read next. Without ids, the newest or the most relevant are meant. Of one part, a run of
    its characters may be named: from ``offset`` on, at most ``limit``; 0 for all.
    """

    ids: tuple[str, ...] = ()
    format: Format = Format.SUMMARY
    priority: Priority = Priority.SPECIFIC
    offset: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A reply in its four outputs; ``findings`` say what was taken out and could not be used.

    A finding's ``at`` is the place of its block among those that ended the reply, from 0.
    """

    content: str
    calls: tuple[Call, ...] = ()
    housekeeping: Housekeeping | None = None
    requests: tuple[RetrievalRequest, ...] = ()
    findings: tuple[Finding, ...] = ()


def is_id(text: str) -> bool:
    """True for what has the form of an id, whether there is such a thing or not."""
    return _ID.fullmatch(text) is not None
