"""The values that all of Clew shares: frozen dataclasses and enums without I/O. They import only each other."""

from clew.domain.compactions import (
    Balance,
    ClippedMessage,
    Compaction,
    CompactionRequest,
    MessageBalance,
    Size,
    Strategy,
    SummaryCounts,
    TokenBalance,
    Trigger,
)
from clew.domain.critical import CriticalItem, ItemKind, ItemState, Scope
from clew.domain.digests import (
    CommandRun,
    Digest,
    Fact,
    Failure,
    FileUsage,
    FileUse,
    Header,
    Outcome,
    Summary,
    Trio,
)
from clew.domain.epochs import Epoch, RetrievedSpan, RetrievedUnit, SectionReport, SentInput, UnitUse, in_sending_order
from clew.domain.health import Alert, Contradiction, Drift, Health, Requirement, RuleState
from clew.domain.messages import Message, Origin, Role, Tool, Usage, assistant, user
from clew.domain.notes import CodeChange, Housekeeping
from clew.domain.parts import Call, Json, Media, Opaque, Output, Part, Reasoning, Status, Text, Wire, texts
from clew.domain.records import ContextReport, Entry, EntryKind, Record, SessionFacts
from clew.domain.reports import Finding, Loss, Repair, SkippedRecord
from clew.domain.segments import Segment
from clew.domain.sessions import SessionInfo, SessionKey
