"""How a session is doing: its size, its rules, and what speaks against each other. Names are those of the JSON."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RuleState(StrEnum):
    """How a rule is kept, as far as anybody can tell."""

    KEPT = "kept"
    BROKEN = "broken"
    NOT_APPLICABLE = "not_applicable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """A rule and how it is kept; ``evidence`` is the message that shows it, ``quote`` its words, and ``since`` the
    message where it was first broken, if it still is."""

    id: str
    text: str
    state: RuleState = RuleState.UNKNOWN
    score: float = 0.5
    evidence: str = ""
    quote: str = ""
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two statements, by message (an item by its id); ``score`` 0 to 1 how surely the later denies the earlier.

    ``speaker`` is whose both are, user or assistant; ``rule`` where a reply denies what was decided.
    """

    earlier: str
    later: str
    score: float
    about: str
    speaker: str = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How far a session has gone from what was asked of it, 0 to 1; ``missing`` are rules that are broken now."""

    drift_score: float = 0.0
    topic_drift: float = 0.0
    missing: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The state of a session: ``health`` is good, warning or critical. ``growth_rate`` is tokens to a reply,
    ``turns_left`` the replies until the limit at that rate, None where nobody can tell."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something to decide: compact, look at what has drifted, or go on. Waved off, it comes back when things get
    worse."""

    health: str
    utilization: float
    findings: tuple[str, ...] = ()
