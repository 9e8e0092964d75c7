"""The report of an audit as one JSON value with stable keys. Figures list the messages behind them by id."""

from __future__ import annotations

from dataclasses import asdict

from clew.audit.costs import Spending, spending
from clew.audit.report import AuditReport
from clew.audit.token_use import KIND, TOOL, FigureUse
from clew.audit.values import CompactionAudit, Finding, FindingKind, SessionFigures
from clew.domain import Json
from clew.domain.ids import message_id


def report_json(report: AuditReport) -> Json:
    """Returns the whole report."""
    return {
        "totals": totals_json(report),
        "sessions": [_session(report, session) for session in report.sessions],
        "findings": [finding_json(finding) for finding in report.findings],
        "skipped": [asdict(file) for file in report.skipped],
        "other_files": report.other_files,
    }


def totals_json(report: AuditReport) -> Json:
    """Returns the sums over all sessions."""
    compactions = report.compactions
    return {
        "sessions": len(report.sessions),
        "messages": sum(session.messages for session in report.sessions),
        "tokens": report.tokens,
        "requests": report.requests,
        "usage": asdict(report.usage),
        "cost": _cost(report.spending),
        "sent": report.sent_tokens,
        "not_in_record": report.not_in_record,
        "kinds": [_figure(name, figure) for name, figure in report.figures(KIND).items()],
        "tools": [_figure(name, figure) | _calls(figure) for name, figure in report.figures(TOOL).items()],
        "compactions": len(compactions),
        "waited_seconds": round(report.waited_seconds, 1),
        "hidden_summaries": len(compactions) - len(report.readable),
        "needed": report.needed_facts if report.is_loss_known else None,
        "held": report.needed_facts - report.lost_facts if report.is_loss_known else None,
        "lost": report.lost_facts if report.is_loss_known else None,
        "code": asdict(report.code) if report.is_loss_known else None,
        "read_again_tokens": report.read_again_tokens,
        "rules_repeated": len(report.of_kind(FindingKind.REPEATED)),
        "rules_broken": len(report.of_kind(FindingKind.BROKEN)),
    }


def _cost(spent: Spending) -> Json:
    tables = {
        f"by_{kind}": [{kind: name} | asdict(row) for name, row in rows.items()] for kind, rows in spent.tables.items()
    }
    return asdict(spent.total) | tables | {"unpriced": spent.unpriced, "uncounted_sessions": spent.uncounted_sessions}


def finding_json(finding: Finding) -> Json:
    """Returns one finding with the messages that show it."""
    return asdict(finding)


def compaction_json(compaction: CompactionAudit) -> Json:
    """Returns one compaction with its figures and the messages around it."""
    return asdict(compaction)


def _session(report: AuditReport, session: SessionFigures) -> Json:
    findings = report.found.get(session.source)
    return {
        "id": session.id,
        "source": session.source,
        "path": session.path,
        "title": session.title,
        "client": session.client,
        "model": session.model,
        "folder": session.folder,
        "started": session.started,
        "ended": session.ended,
        "messages": session.messages,
        "tokens": session.use.tokens,
        "requests": session.use.requests,
        "usage": asdict(session.usage),
        "cost": asdict(spending([session], report.prices).total) if session.requests else None,
        "window": asdict(session.window),
        "sent": session.sent_tokens,
        "kinds": [_figure(name, figure) | _messages(figure) for name, figure in session.use.figures_of(KIND).items()],
        "tools": [
            _figure(name, figure) | _calls(figure) | _messages(figure)
            for name, figure in session.use.figures_of(TOOL).items()
        ],
        "lines": {message_id(number): line for number, line in session.lines.items() if line},
        "compactions": [compaction_json(compaction) for compaction in findings.compactions] if findings else [],
        "skipped": [{"line": line.line, "reason": line.reason} for line in session.skipped],
    }


def _figure(name: str, use: FigureUse) -> Json:
    return {"name": name, "tokens": use.tokens, "sent": use.sent}


def _calls(use: FigureUse) -> Json:
    return {"calls": use.calls, "output_tokens": use.outputs}


def _messages(use: FigureUse) -> Json:
    return {"messages": {message_id(number): tokens for number, tokens in use.messages.items()}}
