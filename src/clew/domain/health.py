"""Health of a session: its size, its rules and contradictions. Field names are those of the JSON output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

#: Levels of health, from the best to the worst.
HEALTH_LEVELS = ("good", "warning", "critical")


class LimitSource(StrEnum):
    """Who says how much may be sent."""

    GIVEN = "given"  # the caller gave the window
    CLIENT = "client"  # the client states its window
    MODEL = "model"  # the model's name tells its window
    ASSUMED = "assumed"  # nobody says: a usual window that fits what the session shows
    BUDGET = "budget"  # packs are made with this budget


class CountSource(StrEnum):
    """Who counted the tokens in use."""

    PROVIDER = "provider"  # the provider, at the last reply, and Clew what came since
    PACK = "pack"  # Clew, at the last compaction, also a client's, or when the last epoch of packs started, and since
    RECORD = "record"  # Clew, all that is recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSize:
    """How large the next prompt is and what may be sent, each with who says so. ``window`` is that of the model: what
    may be sent leaves room in it for the answer.
    """

    tokens_used: int
    used_source: CountSource
    tokens_limit: int
    limit_source: LimitSource
    window: int

    @property
    def utilization(self) -> float:
        """The share of what may be sent; 0 where nobody knows yet how much that is."""
        return round(self.tokens_used / self.tokens_limit, 4) if self.tokens_limit else 0.0


class RuleState(StrEnum):
    """Whether a rule is kept, as far as that can be checked."""

    KEPT = "kept"
    BROKEN = "broken"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A rule and whether it is kept.

    ``evidence`` is the message that shows it, ``quote`` its words.
    ``since`` is the message that first broke the rule, set while the rule is still broken.
    ``broken`` is the message that broke it last, and ``breach`` its words, also of a rule that is kept again.
    """

    id: str
    text: str
    state: RuleState = RuleState.UNKNOWN
    score: float = 0.5
    evidence: str = ""
    quote: str = ""
    since: str = ""
    broken: str = ""
    breach: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two contradicting statements, each by the id of its message or item.
    ``score`` from 0 to 1 says how surely the later one denies the earlier.

    ``speaker`` is user or assistant, whoever said both; the texts are the words of either side that differ.
    """

    earlier: str
    later: str
    score: float
    about: str
    speaker: str = "user"
    earlier_text: str = ""
    later_text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How far a session has moved away from what was asked of it, from 0 to 1.
    ``missing`` lists rules that are broken now.
    """

    drift_score: float = 0.0
    topic_drift: float = 0.0
    missing: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """State of a session: ``health`` is good, warning or critical.

    ``tokens_used`` is what the next prompt takes, counted as ``used_source`` says; ``tokens_limit`` is what may be
    sent, and ``limit_source`` says whose limit it is, or how the ``window`` is known that it is a part of.
    ``tokens_recorded`` is all that was recorded, sent or not.
    ``growth_rate`` is in tokens per reply, of the newest replies since the last compaction.
    ``turns_left`` is the number of replies until the limit at that rate, None where it is unknown.
    """

    health: str
    tokens_used: int
    tokens_limit: int
    utilization: float
    relevance_score: float
    drift_score: float
    drift_detected: bool
    compaction_needed: bool
    critical_ratio: float
    critical_items: int
    growth_rate: float
    turns_left: int | None
    suggestions: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    used_source: CountSource = CountSource.RECORD
    limit_source: LimitSource = LimitSource.ASSUMED
    tokens_recorded: int = 0
    window: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A warning that asks for a decision: compact, look at the drift, or go on.
    After it is dismissed it comes back when things get worse.
    """

    health: str
    utilization: float
    findings: tuple[str, ...] = ()
