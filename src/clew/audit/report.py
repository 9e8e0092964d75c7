"""The report of an audit: sessions, what was found in them, and sums over all.

Looks up what stands behind a finding, a compaction or a figure of a report, by its id.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce

from clew.audit.costs import Spending, spending
from clew.audit.recorded_session import total_usage
from clew.audit.token_use import KIND, NOT_IN_RECORD, TOOL, FigureUse
from clew.audit.values import CodeUse, CompactionAudit, Evidence, Finding, FindingKind, SessionFigures, SessionFindings
from clew.domain import Usage
from clew.domain.ids import message_id
from clew.errors import NotFound
from clew.text.plurals import pluralise

#: Of the messages behind a figure, so many of each session are listed.
_LISTED = 10


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
        beside = sum(session.is_subagent for session in self.sessions)
        sessions = pluralise(len(self.sessions) - beside, "session")
        return f"{sessions} and {pluralise(beside, 'file')} of subagents" if beside else sessions

    @property
    def tokens(self) -> int:
        """All tokens that were recorded, by o200k."""
        return sum(session.use.tokens for session in self.sessions)

    @property
    def requests(self) -> int:
        """Replies of models: one request each."""
        return sum(session.use.requests for session in self.sessions)

    @property
    def usage(self) -> Usage:
        """What providers counted, summed over all sessions that say."""
        return total_usage(session.usage for session in self.sessions)

    @property
    def sent_tokens(self) -> int:
        """Tokens that requests carried, together: by the providers' count where there is one, else by the record."""
        return sum(session.sent_tokens for session in self.sessions)

    @property
    def not_in_record(self) -> int:
        """Of these, what providers counted and no record explains: system prompts, tool definitions, what clients add
        unseen, and tokenizers other than ours."""
        return max(0, self.sent_tokens - sum(session.use.sent_tokens for session in self.sessions))

    def figures(self, prefix: str) -> dict[str, FigureUse]:
        """Returns the figures of one table over all sessions, the largest first."""
        total: dict[str, FigureUse] = {}
        for session in self.sessions:
            for name, figure in session.use.figures_of(prefix).items():
                total.setdefault(name, FigureUse()).merge(figure)
        return dict(sorted(total.items(), key=lambda pair: (-pair[1].tokens, pair[0])))

    @property
    def compactions(self) -> list[CompactionAudit]:
        """All compactions, in the order of sessions."""
        return [compaction for findings in self.found.values() for compaction in findings.compactions]

    @property
    def readable(self) -> list[CompactionAudit]:
        """The compactions whose summary can be read; of the others nobody can say what they lost."""
        return [compaction for compaction in self.compactions if compaction.is_readable]

    @property
    def is_loss_known(self) -> bool:
        """False where there are compactions, and not one of their summaries can be read."""
        return bool(self.readable) or not self.compactions

    @property
    def needed_facts(self) -> int:
        """Facts that were needed behind the compactions that can be judged."""
        return sum(compaction.needed or 0 for compaction in self.compactions)

    @property
    def lost_facts(self) -> int:
        """Those of them that summaries do not hold."""
        return sum(compaction.lost or 0 for compaction in self.compactions)

    @property
    def code(self) -> CodeUse:
        """Pieces of code that edits used behind the compactions that can be judged."""
        return reduce(CodeUse.plus, (compaction.code for compaction in self.compactions if compaction.code), CodeUse())

    @property
    def findings(self) -> list[Finding]:
        """All findings, in the order of sessions; rules that were repeated come last."""
        return [*(finding for findings in self.found.values() for finding in findings.findings), *self.repeated]

    def of_kind(self, kind: FindingKind) -> list[Finding]:
        """Returns the findings of one kind."""
        return [finding for finding in self.findings if finding.kind is kind]

    @property
    def waited_seconds(self) -> float:
        """Seconds that people waited for compactions, of those that tell."""
        return sum(compaction.seconds or 0.0 for compaction in self.compactions)

    @property
    def read_again_tokens(self) -> int:
        """Tokens that were read again behind compactions."""
        return sum(compaction.read_again_tokens for compaction in self.compactions)


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureShare:
    """What one session adds to a figure, and the messages that add most to it: id, line and tokens of each. Of what is
    in no record there are no messages, and ``count`` counts requests.
    """

    source: str
    tokens: int
    count: int
    messages: tuple[tuple[str, int, int], ...]
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDetail:
    """One figure over all sessions, by session, the largest share first."""

    id: str
    tokens: int
    sent: int
    shares: tuple[FigureShare, ...]


def is_figure(id: str) -> bool:
    """Returns True for the id of a figure, which needs no search for findings."""
    return id.startswith((KIND, TOOL))


def look_up(report: AuditReport, id: str) -> Finding | CompactionAudit | FigureDetail:
    """Returns what an id, or the unique beginning of one, names. Raises NotFound where it names nothing."""
    if id == KIND + NOT_IN_RECORD:
        return _beyond_record(report)
    if is_figure(id):
        return figure_detail(report, id)
    findings: list[Finding | CompactionAudit] = [*report.findings, *report.compactions]
    matching = [finding for finding in findings if finding.id == id] or [
        finding for finding in findings if finding.id.startswith(id)
    ]
    if len({finding.id for finding in matching}) != 1:
        problem = f"{id!r} is the beginning of {len(matching)} findings" if matching else f"no finding {id!r}"
        raise NotFound(problem, about="finding")
    return matching[0]


def _beyond_record(report: AuditReport) -> FigureDetail:
    """What providers counted beyond the record, by session; there are no messages to show."""
    beyond = [
        (session, session.sent_tokens - session.use.sent_tokens)
        for session in report.sessions
        if session.usage.input_tokens
    ]
    shares = [
        FigureShare(source=session.source, tokens=tokens, count=session.use.requests, messages=(), evidence=())
        for session, tokens in sorted(beyond, key=lambda pair: -pair[1])
    ]
    total = report.not_in_record
    return FigureDetail(id=KIND + NOT_IN_RECORD, tokens=total, sent=total, shares=tuple(shares))


def figure_detail(report: AuditReport, id: str) -> FigureDetail:
    """Returns a figure with the messages behind it. Raises NotFound where no session has it."""
    shares = list[FigureShare]()
    sent = 0
    for session in report.sessions:
        if (figure := session.use.figures.get(id)) is not None:
            sent += figure.sent
            largest = figure.largest(_LISTED)
            shares.append(
                FigureShare(
                    source=session.source,
                    tokens=figure.tokens,
                    count=len(figure.messages),
                    messages=tuple(
                        (message_id(number), session.lines.get(number, 0), tokens) for number, tokens in largest
                    ),
                    evidence=session.largest.get(id, ()),
                )
            )
    if not shares:
        names = sorted({name for session in report.sessions for name in session.use.figures})
        raise NotFound(f"no figure {id!r}; there are {', '.join(names)}")
    shares.sort(key=lambda share: -share.tokens)
    return FigureDetail(id=id, tokens=sum(share.tokens for share in shares), sent=sent, shares=tuple(shares))
