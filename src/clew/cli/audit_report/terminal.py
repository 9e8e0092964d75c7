"""An audit on a terminal: tables first, then findings with ids by which the messages behind them are shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from shlex import quote as quoted
from typing import TYPE_CHECKING

from clew.audit.token_use import NOT_IN_RECORD
from clew.cli.figures import shows_tokens
from clew.cli.output import say, short_line, size, when
from clew.cli.table import short_ids, table
from clew.text.plurals import pluralise

if TYPE_CHECKING:
    from clew.audit.report import AuditReport, FigureDetail
    from clew.audit.token_use import FigureUse
    from clew.audit.values import CompactionAudit, Evidence, Finding

#: Rows of tools, and findings of a kind, that are shown; the rest is in --json and on the page.
_MAX_TOOLS, _MAX_FINDINGS, _MAX_COMPACTIONS, _MAX_SPENT = 15, 8, 40, 10


def show_figures(report: AuditReport) -> None:
    """Prints what was read and where the tokens went, by kind and by tool."""
    from clew.audit.token_use import KIND, TOOL

    clients = Counter(session.client or "unknown" for session in report.sessions)
    shares = ", ".join(f"{number} of {client}" for client, number in clients.most_common())
    messages = sum(session.messages for session in report.sessions)
    say(f"{report.size} ({shares}), {pluralise(messages, 'message')}, {size(report.tokens)} tokens")
    if report.usage.input_tokens:
        cached = report.usage.cache_read_tokens / report.usage.input_tokens
        where = "" if all(session.usage.input_tokens for session in report.sessions) else " where they say"
        say(f"{_sent_line(report)}, as providers counted them{where} ({cached:.0%} from their caches)")
    else:
        say(f"{_sent_line(report)}, by the record alone")
    _show_cost(report)
    say()
    _show(["where tokens went", "tokens", "share", "sent"], report.figures(KIND), report, with_calls=False)
    say()
    tools = report.figures(TOOL)
    _show(["tool", "calls", "tokens", "share", "sent"], tools, report, with_calls=True)
    say("  sent: each token once for every request that carried it, until a compaction took it out")
    if report.not_in_record:
        say(f"  {NOT_IN_RECORD}: system prompts, tool definitions, what clients add unseen, other tokenizers")


def _show_cost(report: AuditReport) -> None:
    """Prints dollars by model, project and day, as far as prices and counts are known."""
    from clew.audit.costs import DAY, left_out

    spent = report.spending
    missing = "; ".join(left_out(spent, len(report.sessions)))
    if not spent.total.requests:
        say(f"cost: unknown, as {missing}")
        return
    say(f"cost: {spent.total.display_text} by list prices{f'; {missing}' if missing else ''}")
    for kind, found in spent.tables.items():
        columns, newest = [f"by {kind}", "cost", "requests", "sent", "answered"], list(found.items())
        rows = newest[-_MAX_SPENT:] if kind == DAY else newest[:_MAX_SPENT]
        cells = [
            [name, cost.display_text, str(cost.requests), size(cost.input_tokens), size(cost.output_tokens)]
            for name, cost in rows
        ]
        cells += [[f"{len(found) - len(rows)} more", "", "", "", ""]] if len(found) > len(rows) else []
        say()
        for line in table(columns, cells, right=columns[1:], cut=columns[0]):
            say(line)


def _sent_line(report: AuditReport) -> str:
    return f"sent: {size(report.sent_tokens)} tokens in {pluralise(report.requests, 'request')}"


def _show(columns: list[str], figures: dict[str, FigureUse], report: AuditReport, *, with_calls: bool) -> None:
    rows, total = [], report.tokens
    for name, figure in list(figures.items())[:_MAX_TOOLS]:
        calls = [str(figure.calls)] if with_calls else []
        rows.append([name, *calls, size(figure.tokens), f"{figure.tokens / max(total, 1):.0%}", size(figure.sent)])
    if len(figures) > _MAX_TOOLS:
        rows.append([f"{len(figures) - _MAX_TOOLS} more", *[""] * (len(columns) - 1)])
    if report.not_in_record and not with_calls:
        rows.append([NOT_IN_RECORD, "", "", size(report.not_in_record)])
    for line in table(columns, rows, right=columns[1:], cut=columns[0]):
        say(line)


def show_findings(report: AuditReport, paths: Sequence[str]) -> None:
    """Prints compactions, what they lost, what was read again, and rules; and how to look one up."""
    from clew.audit.values import FindingKind

    say()
    _show_compactions(report)
    lost = report.of_kind(FindingKind.LOST)
    again = sorted(report.of_kind(FindingKind.READ_AGAIN), key=lambda finding: -finding.tokens)
    names = _session_names(report)
    about = "lost: facts that were needed next, and are not in the summary"
    _show_list(about, lost, names, none=_nothing_lost(report))
    _show_code(report, names)
    _show_list("read again behind a compaction", again, names)
    _show_list("rules that the user had to repeat", report.of_kind(FindingKind.REPEATED), names)
    _show_list("rules that were broken", report.of_kind(FindingKind.BROKEN), names)
    say()
    example = (lost or again or report.findings or report.compactions)[:1]
    shown = example[0].id if example else "tool:Read"
    say(f"the messages behind any of them: clew audit {' '.join(map(quoted, paths))} --finding {shown}")


def _nothing_lost(report: AuditReport) -> str:
    """What stands for an empty list of losses: that nobody can know is not that there are none."""
    hidden = len(report.compactions) - len(report.readable)
    if not report.is_loss_known:
        return "unknown, as no summary can be read"
    return f"none in {_readable(report)}" if hidden else "none"


def _readable(report: AuditReport) -> str:
    return f"the {pluralise(len(report.readable), 'summary')} that can be read"


def _show_code(report: AuditReport, names: Mapping[str, str]) -> None:
    from clew.audit.values import FindingKind

    code, findings = report.code, report.of_kind(FindingKind.CODE)
    if findings:
        say()
        say(
            f"code that edits replaced behind a compaction: {pluralise(code.total, 'piece')}, {code.held} in the"
            f" summary, {code.kept} kept by the client, {code.read_again} read again first"
        )
        say(f"  such as {_finding_line(findings[0], names)}")


def _show_compactions(report: AuditReport) -> None:
    audits = report.compactions
    if not audits:
        say("no compactions in these sessions")
        return
    names = _session_names(report)
    windows = {session.source: session.window.tokens for session in report.sessions}
    columns = ["compaction", "session", "at", "before", "window", "summary", "waited", "needed", "lost", "read again"]
    with_packs = any(audit.what_if for audit in audits)
    columns += ["pack", "pack holds", "built in"] if with_packs else []
    shown = audits[:_MAX_COMPACTIONS]
    rows = [_row(audit, names[audit.source], windows[audit.source], with_packs=with_packs) for audit in shown]
    for line in table(
        columns, rows, right=columns[3:], cut="session", drop=["at", "summary", "before", "window", "built in", "pack"]
    ):
        say(line)
    if len(audits) > _MAX_COMPACTIONS:
        say(f"… {len(audits) - _MAX_COMPACTIONS} more")
    say(_summary_line(report))


def _session_names(report: AuditReport) -> dict[str, str]:
    """Short ids of the sessions, by their source."""
    ids = short_ids([session.id for session in report.sessions])
    return dict(zip((session.source for session in report.sessions), ids, strict=True))


def _row(audit: CompactionAudit, name: str, window: int, *, with_packs: bool) -> list[str]:
    def if_readable(number: int | None) -> str:
        return str(number) if audit.is_readable else "?"

    row = [audit.id, name, when(audit.at), size(audit.before_tokens) if audit.before_tokens else "?", size(window)]
    row += [size(audit.summary_tokens) if audit.is_readable else "hidden", _seconds(audit.seconds)]
    row += [if_readable(audit.needed), if_readable(audit.lost), size(audit.read_again_tokens)]
    if with_packs:
        pack = audit.what_if
        row += [size(pack.tokens), if_readable(pack.held), f"{pack.seconds:.1f} s"] if pack else ["-", "-", "-"]
    return row


def _summary_line(report: AuditReport) -> str:
    audits = report.compactions
    packs = [session.what_if for session in report.readable if session.what_if]
    would = sum(pack.held for pack in packs)
    held = f" (summaries held {report.needed_facts - report.lost_facts}, packs of Clew would have held {would})"
    lost = f"{report.lost_facts} of {pluralise(report.needed_facts, 'needed fact')} lost{held if packs else ''}"
    if not report.is_loss_known:
        lost = "what was lost is unknown, as no summary can be read"
    elif len(report.readable) < len(audits):
        lost += f" by {_readable(report)}"
    return (
        f"{pluralise(len(audits), 'compaction')}: {_seconds(report.waited_seconds)} of waiting, {lost},"
        f" {size(report.read_again_tokens)} tokens read again"
    )


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _finding_line(finding: Finding, names: Mapping[str, str]) -> str:
    """A finding as one line, with the session it is of."""
    return f"{finding.id}  {names[finding.source]}  {short_line(finding.says)}"


def _show_list(title: str, findings: Sequence[Finding], names: Mapping[str, str], *, none: str = "none") -> None:
    say()
    say(f"{title}: {len(findings) or none}")
    for finding in findings[:_MAX_FINDINGS]:
        tokens = f" ({size(finding.tokens)} tokens)" if finding.tokens and shows_tokens() else ""
        say(f"  {_finding_line(finding, names)}{tokens}")
    if len(findings) > _MAX_FINDINGS:
        say(f"  … {len(findings) - _MAX_FINDINGS} more in --json and on the page of --html")


# ── the messages behind one ──────────────────────────────────────────────────────────────────────────


def show_detail(found: Finding | CompactionAudit | FigureDetail, report: AuditReport) -> None:
    """Prints one finding, compaction or figure with the messages behind it; of a compaction, its findings too."""
    from clew.audit.report import FigureDetail
    from clew.audit.values import Finding

    if isinstance(found, FigureDetail):
        _show_figure(found)
        return
    if isinstance(found, Finding):
        say(f"{found.id}: {found.says}")
        say(
            f"  {found.how}" + (f", {size(found.tokens)} tokens" if found.tokens else "") + f"; session {found.session}"
        )
    else:
        say(f"{found.id}: compaction {found.place} of {found.source}, behind {found.after}, {when(found.at)}")
        judged = f"{found.lost} of {found.needed} needed facts lost" if found.is_readable else "its summary is hidden"
        say(f"  waited {_seconds(found.seconds)}; {judged}; {size(found.read_again_tokens)} tokens read again")
    for evidence in found.evidence:
        _show_evidence(evidence)
    if not isinstance(found, Finding):
        say()
        for inner in report.findings:
            if inner.compaction == found.id:
                say(f"{inner.id}  {inner.says}")


def _show_figure(detail: FigureDetail) -> None:
    say(f"{detail.id}: {size(detail.tokens)} tokens, sent {size(detail.sent)}")
    for share in detail.shares:
        if not share.messages:
            say(f"  {share.source}: {size(share.tokens)} tokens in {pluralise(share.count, 'request')}")
            continue
        say()
        say(f"{share.source}: {size(share.tokens)} tokens in {pluralise(share.count, 'message')}, the largest:")
        for id, line, tokens in share.messages:
            say(f"  {id:<6} {f'line {line}' if line else '':<11} {size(tokens):>7} tokens")
        say(f"  read one: clew show {quoted(share.source)} {share.messages[0][0]}")


def _show_evidence(evidence: Evidence) -> None:
    where = f"{evidence.source}:{evidence.line}" if evidence.line else evidence.source
    say()
    say(f"{evidence.role}: {evidence.message} ({evidence.speaker}) at {where}")
    for line in evidence.text.split("\n"):
        say(f"  │ {line}")
