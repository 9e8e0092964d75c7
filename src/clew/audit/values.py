"""What an audit gives: frozen values. Everything that is reported names the messages that show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from clew.audit.recorded_session import CountedRequest
from clew.audit.rule_record import RuleSaid
from clew.audit.token_use import TokenUse
from clew.domain import SkippedRecord, Usage
from clew.tokens.windows import Window


class FindingKind(StrEnum):
    """What a finding tells of."""

    LOST = "lost"
    CODE = "code"
    READ_AGAIN = "read_again"
    REPEATED = "repeated"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A message that shows a finding: ``role`` is what it shows, ``text`` quotes it."""

    role: str
    source: str
    message: str
    line: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that an audit found. ``what`` is the kind of thing, ``subject`` the thing itself, ``how`` what became
    of it; ``session`` is the id of the session it was found in, ``compaction`` of the one it followed, empty for none.
    """

    id: str
    kind: FindingKind
    what: str
    subject: str
    how: str
    says: str
    session: str
    source: str
    compaction: str = ""
    tokens: int = 0
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFigures:
    """What a session is and what it cost. ``largest`` quotes the messages that add most to each figure.

    ``requests`` are those that somebody counted, which ``usage`` sums up. ``keys`` are short hashes of its records, by
    which copies are known.
    """

    path: str
    source: str
    id: str
    conversation: str
    title: str
    client: str
    model: str
    folder: str
    messages: int
    is_subagent: bool
    started: float
    ended: float
    usage: Usage
    requests: tuple[CountedRequest, ...] = field(repr=False)
    window: Window
    use: TokenUse
    compactions: int
    lines: dict[int, int] = field(repr=False)
    largest: dict[str, tuple[Evidence, ...]] = field(repr=False)
    keys: frozenset[int] = field(repr=False)
    skipped: tuple[SkippedRecord, ...] = ()

    @property
    def sent_tokens(self) -> int:
        """Tokens that its requests carried: by the provider's count where there is one, else by the record."""
        return self.usage.input_tokens or self.use.sent_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """What a pack of Clew would have been in a compaction's place: its size, the time it took, how many of the needed
    facts and pieces of code it holds, and how many of the tokens that were read again.
    """

    budget: int
    tokens: int
    seconds: float
    held: int
    code_held: int
    read_again_tokens: int


@dataclass(frozen=True, slots=True)
class CodeUse:
    """Pieces of code that edits behind a compaction replaced: those the summary holds, those the client kept, as
    nothing showed them and the edit succeeded, and those that were read again first.
    """

    held: int = 0
    kept: int = 0
    read_again: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.held + self.kept + self.read_again

    def plus(self, other: CodeUse) -> CodeUse:
        """Returns the sums of two."""
        return CodeUse(self.held + other.held, self.kept + other.kept, self.read_again + other.read_again)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionAudit:
    """One compaction. ``summary`` is its message, empty where the record hides it: then nobody can say what was lost.

    ``needed`` counts facts that the next messages needed, ``held`` those that the summary holds, ``lost`` the others;
    all are None where the summary is hidden. ``code`` tells of pieces of code. ``seconds`` is None where the record
    does not tell.
    """

    id: str
    source: str
    place: int
    after: str
    summary: str
    at: float | None
    automatic: bool | None
    before_tokens: int
    summary_tokens: int
    seconds: float | None
    needed: int | None
    held: int | None
    lost: int | None
    code: CodeUse | None
    read_again_tokens: int
    evidence: tuple[Evidence, ...] = ()
    what_if: WhatIf | None = None

    @property
    def is_readable(self) -> bool:
        """False where the record does not show the summary."""
        return bool(self.summary)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFindings:
    """What was found in a session, and the rules that its user said, to be compared with those of others."""

    source: str
    compactions: tuple[CompactionAudit, ...] = ()
    findings: tuple[Finding, ...] = ()
    rules: tuple[tuple[RuleSaid, Evidence], ...] = ()
