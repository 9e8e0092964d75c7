"""Looks up what stands behind a finding, a compaction or a figure of a report, by its id."""

from __future__ import annotations

from dataclasses import dataclass

from clew.audit.report import AuditReport
from clew.audit.token_use import KIND, NOT_IN_RECORD, TOOL
from clew.audit.values import CompactionAudit, Evidence, Finding
from clew.domain.ids import message_id
from clew.errors import NotFound

#: Of the messages behind a figure, so many of each session are listed.
_LISTED = 10


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
    known: list[Finding | CompactionAudit] = [*report.findings, *report.compactions]
    found = [one for one in known if one.id == id] or [one for one in known if one.id.startswith(id)]
    if len({one.id for one in found}) != 1:
        problem = f"{id!r} is the beginning of {len(found)} findings" if found else f"no finding {id!r}"
        raise NotFound(problem, about="finding")
    return found[0]


def _beyond_record(report: AuditReport) -> FigureDetail:
    """What providers counted beyond the record, by session; there are no messages to show."""
    beyond = [(one, one.sent_tokens - one.use.sent_tokens) for one in report.sessions if one.usage.input_tokens]
    shares = [
        FigureShare(source=one.source, tokens=tokens, count=one.use.requests, messages=(), evidence=())
        for one, tokens in sorted(beyond, key=lambda pair: -pair[1])
    ]
    total = report.not_in_record
    return FigureDetail(id=KIND + NOT_IN_RECORD, tokens=total, sent=total, shares=tuple(shares))


def figure_detail(report: AuditReport, id: str) -> FigureDetail:
    """Returns a figure with the messages behind it. Raises NotFound where no session has it."""
    shares = list[FigureShare]()
    sent = 0
    for session in report.sessions:
        if (one := session.use.figures.get(id)) is not None:
            sent += one.sent
            largest = one.largest(_LISTED)
            shares.append(
                FigureShare(
                    source=session.source,
                    tokens=one.tokens,
                    count=len(one.messages),
                    messages=tuple((message_id(at), session.lines.get(at, 0), tokens) for at, tokens in largest),
                    evidence=session.largest.get(id, ()),
                )
            )
    if not shares:
        known = sorted({name for session in report.sessions for name in session.use.figures})
        raise NotFound(f"no figure {id!r}; there are {', '.join(known)}")
    shares.sort(key=lambda share: -share.tokens)
    return FigureDetail(id=id, tokens=sum(one.tokens for one in shares), sent=sent, shares=tuple(shares))
