"""The report of an audit: sessions, what was found in them, and sums over all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

from clew.audit.costs import Spending, spending
from clew.audit.recorded_session import total_usage
from clew.audit.token_use import FigureUse
from clew.audit.values import CodeUse, CompactionAudit, Finding, FindingKind, SessionFigures, SessionFindings
from clew.domain import Usage
from clew.text.plurals import pluralise


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not in the report, and why; ``is_failure`` where somebody should look into it."""

    path: str
    reason: str
    is_failure: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """All that an audit knows. ``found`` lacks sessions that were not looked into yet; ``prices`` are the user's."""

    sessions: tuple[SessionFigures, ...] = ()
    found: Mapping[str, SessionFindings] = field(default_factory=dict)
    repeated: tuple[Finding, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    other_files: int = 0
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def spending(self) -> Spending:
        """What all sessions cost."""
        return spending(self.sessions, self.prices)

    @property
    def size(self) -> str:
        """How many sessions there are, and apart from them files in which a client keeps those of subagents."""
        beside = sum(one.is_subagent for one in self.sessions)
        told = pluralise(len(self.sessions) - beside, "session")
        return f"{told} and {pluralise(beside, 'file')} of subagents" if beside else told

    @property
    def tokens(self) -> int:
        """All tokens that were recorded, by o200k."""
        return sum(one.use.tokens for one in self.sessions)

    @property
    def requests(self) -> int:
        """Replies of models: one request each."""
        return sum(one.use.requests for one in self.sessions)

    @property
    def usage(self) -> Usage:
        """What providers counted, summed over all sessions that say."""
        return total_usage(one.usage for one in self.sessions)

    @property
    def sent_tokens(self) -> int:
        """Tokens that requests carried, together: by the providers' count where there is one, else by the record."""
        return sum(one.sent_tokens for one in self.sessions)

    @property
    def not_in_record(self) -> int:
        """Of these, what providers counted and no record explains: system prompts, tool definitions, what clients add
        unseen, and tokenizers other than ours."""
        return max(0, self.sent_tokens - sum(one.use.sent_tokens for one in self.sessions))

    def figures(self, prefix: str) -> dict[str, FigureUse]:
        """Returns the figures of one table over all sessions, the largest first."""
        total: dict[str, FigureUse] = {}
        for session in self.sessions:
            for name, one in session.use.figures_of(prefix).items():
                total.setdefault(name, FigureUse()).merge(one)
        return dict(sorted(total.items(), key=lambda pair: (-pair[1].tokens, pair[0])))

    @property
    def compactions(self) -> list[CompactionAudit]:
        """All compactions, in the order of sessions."""
        return [one for found in self.found.values() for one in found.compactions]

    @property
    def readable(self) -> list[CompactionAudit]:
        """The compactions whose summary can be read; of the others nobody can say what they lost."""
        return [one for one in self.compactions if one.is_readable]

    @property
    def is_loss_known(self) -> bool:
        """False where there are compactions, and not one of their summaries can be read."""
        return bool(self.readable) or not self.compactions

    @property
    def needed_facts(self) -> int:
        """Facts that were needed behind the compactions that can be judged."""
        return sum(one.needed or 0 for one in self.compactions)

    @property
    def lost_facts(self) -> int:
        """Those of them that summaries do not hold."""
        return sum(one.lost or 0 for one in self.compactions)

    @property
    def code(self) -> CodeUse:
        """Pieces of code that edits used behind the compactions that can be judged."""
        return reduce(CodeUse.plus, (one.code for one in self.compactions if one.code), CodeUse())

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of sessions; rules that were repeated come last."""
        return [*(one for found in self.found.values() for one in found.findings), *self.repeated]

    def of_kind(self, kind: FindingKind) -> list[Finding]:
        """Returns the findings of one kind."""
        return [one for one in self.findings if one.kind is kind]

    @property
    def waited_seconds(self) -> float:
        """Seconds that people waited for compactions, of those that tell."""
        return sum(one.seconds or 0.0 for one in self.compactions)

    @property
    def read_again_tokens(self) -> int:
        """Tokens that were read again behind compactions."""
        return sum(one.read_again_tokens for one in self.compactions)
