"""The nouns: frozen values without I/O, shared by all of Clew. They import nothing but each other."""

from clew.domain.compactions import Compaction, Order, Size, Strategy, Summarized, Why
from clew.domain.critical import Item, ItemKind, ItemState, Scope
from clew.domain.digests import (
    Digest,
    Fact,
    Failure,
    Focus,
    Header,
    Outcome,
    Ran,
    Story,
    Summary,
    Touched,
    Trio,
    Use,
)
from clew.domain.epochs import Epoch, Sent, Shown, in_order
from clew.domain.health import Alert, Contradiction, Drift, Health, Requirement, RuleState
from clew.domain.messages import Message, Origin, Role, Usage
from clew.domain.notes import CodeChange, Housekeeping
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire, texts
from clew.domain.records import Entry, Facts, Kind, Record
from clew.domain.reports import Finding, Loss, Repair, Skipped
from clew.domain.segments import Segment
from clew.domain.sessions import SessionInfo, SessionKey
from clew.domain.tools import Tool

__all__ = [
    "Alert",
    "Call",
    "CodeChange",
    "Compaction",
    "Contradiction",
    "Digest",
    "Drift",
    "Entry",
    "Epoch",
    "Fact",
    "Facts",
    "Failure",
    "Finding",
    "Focus",
    "Header",
    "Health",
    "Housekeeping",
    "Item",
    "ItemKind",
    "ItemState",
    "Json",
    "Kind",
    "Loss",
    "Media",
    "Message",
    "Opaque",
    "Order",
    "Origin",
    "Outcome",
    "Output",
    "Part",
    "Ran",
    "Reasoning",
    "Record",
    "Repair",
    "Requirement",
    "Role",
    "RuleState",
    "Scope",
    "Segment",
    "Sent",
    "SessionInfo",
    "SessionKey",
    "Shown",
    "Size",
    "Skipped",
    "Status",
    "Story",
    "Strategy",
    "Summarized",
    "Summary",
    "Text",
    "Tool",
    "Touched",
    "Trio",
    "Usage",
    "Use",
    "Why",
    "Wire",
    "in_order",
    "texts",
]
