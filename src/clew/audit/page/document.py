"""The whole page: findings, compactions, costs, where tokens went, sessions. Every figure opens to its messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from clew.audit.costs import Spent, left_out, spending
from clew.audit.page.parts import bar, opening, quotation, row, seconds, size, text, when
from clew.audit.report import AuditReport, figure_detail
from clew.audit.token_use import KIND, NOT_IN_RECORD, TOOL
from clew.audit.values import CompactionAudit, Finding, FindingKind, SessionFigures
from clew.text.plurals import pluralise

#: Sessions that are listed below a figure; the rest is summed.
_MAX_SHARES = 12
#: Findings of a kind that are shown at once; the rest opens.
_MAX_FINDINGS = 10


def report_page(report: AuditReport) -> str:
    """Returns the report as one HTML document."""
    style = files("clew.audit.page").joinpath("style.css").read_text("utf-8")
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width,initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            f"<title>Audit of {pluralise(len(report.sessions), 'session')}</title><style>{style}</style></head>",
            "<body><main>",
            *_heading(report),
            *_findings(report),
            *_compactions(report),
            *_cost(report),
            *_figures(report, KIND, "Where the tokens went", "kinds"),
            *_figures(report, TOOL, "By tool", "tools"),
            *_sessions(report),
            *_skipped_files(report),
            "<footer>Made by <code>clew audit</code> from session files, only read. Secrets are masked.</footer>",
            "</main></body></html>",
        ]
    )


# ── heading ──────────────────────────────────────────────────────────────────────────────────────────


def _heading(report: AuditReport) -> Iterator[str]:
    times = [time for session in report.sessions for time in (session.started, session.ended) if time]
    span = f", {when(min(times))[:10]} to {when(max(times))[:10]}" if times else ""
    messages = sum(session.messages for session in report.sessions)
    yield "<h1>What your sessions cost, and what their compactions lost</h1>"
    yield f'<p class="note">{report.size}, {messages:,} messages{span}.'
    yield "Click anything to see the messages behind it.</p>"
    yield '<div class="cards">'
    yield from _cards(report)
    yield "</div>"


def _cards(report: AuditReport) -> Iterator[str]:
    compactions, usage, spent = report.compactions, report.usage, report.spending.total
    if spent.requests:
        yield _card("#cost", spent.display_text, "by list prices")
    yield _card("#kinds", size(report.tokens), "tokens recorded")
    if usage.input_tokens:
        share = usage.cache_read_tokens / usage.input_tokens
        yield _card("#sessions", size(report.sent_tokens), f"tokens sent, {share:.0%} from caches")
    yield _card("#compactions", str(len(compactions)), "compactions")
    yield _card("#compactions", seconds(report.waited_seconds), "waiting for them")
    if report.is_loss_known:
        yield _card("#lost", f"{report.lost_facts} of {report.needed_facts}", "needed facts lost by summaries")
        yield _card("#code", f"{report.code.read_again} of {report.code.total}", "pieces of code read again")
    else:
        yield _card("#lost", "?", "lost: no summary can be read")
    yield _card("#read-again", size(report.read_again_tokens), "tokens read again")
    rules = len(report.of_kind(FindingKind.REPEATED)) + len(report.of_kind(FindingKind.BROKEN))
    yield _card("#rules", str(rules), "rules repeated or broken")


def _card(link: str, figure: str, about: str) -> str:
    return f'<a class="card" href="{link}"><b>{text(figure)}</b><span>{text(about)}</span></a>'


# ── cost ─────────────────────────────────────────────────────────────────────────────────────────────


def _cost(report: AuditReport) -> Iterator[str]:
    spent = report.spending
    missing = "; ".join(left_out(spent, len(report.sessions)))
    yield '<h2 id="cost">What it cost</h2><p class="note">By the counts of providers and their list prices.'
    yield f"{text(missing[:1].upper() + missing[1:])}.</p>" if missing else "</p>"
    for kind, table in spent.tables.items():
        if table:
            yield '<div class="table spent">'
            yield row([kind, "cost", "requests", "sent", "answered"], first_numbers=1, is_head=True, wide=(2, 4))
            for name, cost in table.items():
                cells = [
                    text(name),
                    cost.display_text,
                    f"{cost.requests:,}",
                    size(cost.input_tokens),
                    size(cost.output_tokens),
                ]
                yield row(cells, first_numbers=1, wide=(2, 4))
            yield "</div>"


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────


def _figures(report: AuditReport, prefix: str, title: str, id: str) -> Iterator[str]:
    figures = report.figures(prefix)
    most = max((use.tokens for use in figures.values()), default=1)
    yield f'<h2 id="{id}">{title}</h2>'
    if prefix == KIND:
        yield '<p class="note">Tokens by o200k. <i>Sent</i> counts each token once for every request that carried it,'
        yield f"until a compaction took it out. <i>{NOT_IN_RECORD.capitalize()}</i> is what providers counted beyond"
        yield "that: system prompts, tool definitions, what clients add unseen, other tokenizers.</p>"
    yield '<div class="table figures">'
    heads = [id[:-1], "", "calls" if prefix == TOOL else "", "tokens", "share", "sent"]
    yield row(heads, first_numbers=2, is_head=True, wide=(1, 2, 4))
    for name, use in figures.items():
        share = f"{use.tokens / max(report.tokens, 1):.1%}"
        calls = f"{use.calls:,}" if use.calls else ""
        cells = [text(name), bar(use.tokens / most), calls, size(use.tokens), share, size(use.sent)]
        yield opening(row(cells, first_numbers=2, wide=(1, 2, 4)), _shares(report, prefix + name))
    if prefix == KIND and report.not_in_record:
        cells = [NOT_IN_RECORD, "", "", "", "", size(report.not_in_record)]
        yield opening(row(cells, first_numbers=2, wide=(1, 2, 4)), _provider_counts(report))
    yield "</div>"


def _provider_counts(report: AuditReport) -> Iterator[str]:
    yield '<p class="note">What the provider counted, and what the record explains of it:</p><ul>'
    largest = sorted(
        (session for session in report.sessions if session.usage.input_tokens),
        key=lambda session: session.use.sent_tokens - session.sent_tokens,
    )
    for session in largest[:_MAX_SHARES]:
        sent, recorded = size(session.sent_tokens), size(session.use.sent_tokens)
        yield f"<li>{text(session.source)}: {sent} sent, {recorded} in the record</li>"
    yield "</ul>"


def _shares(report: AuditReport, id: str) -> Iterator[str]:
    detail = figure_detail(report, id)
    yield f'<p class="note">All messages: <code>clew audit PATH --finding {text(id)}</code></p>'
    for share in detail.shares[:_MAX_SHARES]:
        title = f"{text(share.source)} — {size(share.tokens)} tokens in {pluralise(share.count, 'message')}"
        yield opening(title, map(quotation, share.evidence), name="plain")
    rest = detail.shares[_MAX_SHARES:]
    if rest:
        tokens = size(sum(figure.tokens for figure in rest))
        yield f'<p class="soft">{pluralise(len(rest), "more session")}: {tokens} tokens</p>'


# ── compactions ──────────────────────────────────────────────────────────────────────────────────────


def _compactions(report: AuditReport) -> Iterator[str]:
    audits = report.compactions
    with_packs = any(audit.what_if for audit in audits)
    yield '<h2 id="compactions">Compactions</h2>'
    yield '<p class="note"><i>Needed</i> are facts that the next 60 messages used before anything had shown them again:'
    yield "files, commands, ids, names; <i>lost</i> are those that the summary does not hold. Code stands apart. A"
    yield "question mark stands where the record does not tell.</p>"
    yield f'<div class="table compactions{" packs" if with_packs else ""}">'
    heads = ["session", "at", "prompt", "window", "summary", "waited", "needed", "lost", "read again"]
    heads += ["pack", "pack holds", "made in"] if with_packs else []
    yield row(heads, first_numbers=2, is_head=True, wide=(1, 2, 3, 4, 9, 11))
    sessions = {session.source: session for session in report.sessions}
    for audit in audits:
        cells = _compaction_cells(audit, sessions[audit.source], with_packs=with_packs)
        yield opening(
            row(cells, first_numbers=2, wide=(1, 2, 3, 4, 9, 11)), _compaction_details(report, audit), id=audit.id
        )
    yield "" if audits else '<div class="none">None in these sessions.</div>'
    yield "</div>"


def _compaction_cells(audit: CompactionAudit, session: SessionFigures, *, with_packs: bool) -> list[str]:
    def if_readable(number: int | None) -> str:
        return str(number) if audit.is_readable else "?"

    lost = f'<b class="bad">{audit.lost}</b>' if audit.lost else if_readable(0)
    cells = [
        text(session.title or session.id),
        when(audit.at),
        size(audit.before_tokens) if audit.before_tokens else "?",
    ]
    cells += [
        size(session.window.tokens),
        size(audit.summary_tokens) if audit.is_readable else "hidden",
        seconds(audit.seconds),
    ]
    cells += [if_readable(audit.needed), lost, size(audit.read_again_tokens)]
    if with_packs:
        pack = audit.what_if
        contents = f"{if_readable(pack.held)} · {size(pack.read_again_tokens)}" if pack else "–"
        cells += [size(pack.tokens), contents, f"{pack.seconds:.1f} s"] if pack else ["–", "–", "–"]
    return cells


def _compaction_details(report: AuditReport, audit: CompactionAudit) -> Iterator[str]:
    yield f'<p class="id">{text(audit.id)} · {text(audit.source)}</p>'
    if audit.what_if:
        pack, again = audit.what_if, size(audit.read_again_tokens)
        contents = f"{pack.held} of {pluralise(audit.needed or 0, 'needed fact')} (the summary {audit.held}), and "
        yield f"<p>A pack of Clew in its place: {size(pack.tokens)} tokens, made in {pack.seconds:.1f} s. It holds "
        yield f"{contents if audit.is_readable else ''}{size(pack.read_again_tokens)} of {again} tokens read again.</p>"
    yield from map(quotation, audit.evidence)
    for finding in [finding for finding in report.findings if finding.compaction == audit.id]:
        yield f'<p>{_tag(finding)} <a href="#{text(finding.id)}">{text(finding.says)}</a></p>'


def _tag(finding: Finding) -> str:
    return f'<span class="tag">{text(finding.kind.value.replace("_", " "))}</span>'


# ── findings ─────────────────────────────────────────────────────────────────────────────────────────


def _findings(report: AuditReport) -> Iterator[str]:
    lost, again = report.of_kind(FindingKind.LOST), report.of_kind(FindingKind.READ_AGAIN)
    about = "Facts that were needed next, known before the compaction, and not in its summary."
    none = "None." if report.is_loss_known else "Unknown: no summary can be read."
    names = {session.source: session.title or session.id for session in report.sessions}
    yield from _list("lost", "Lost", about, lost, names, none=none)
    about = "Lines that an edit replaced behind a compaction, and where the agent had them from: the summary, what the"
    about += " client had put back, as no message shows them and the edit succeeded, or a second reading."
    yield from _list("code", "Code that edits replaced", about, report.of_kind(FindingKind.CODE), names)
    about = "Behind a compaction, lines that the same look had shown before it; their tokens are counted, no others."
    yield from _list("read-again", "Read again", about, sorted(again, key=lambda reread: -reread.tokens), names)
    rules = report.of_kind(FindingKind.REPEATED) + report.of_kind(FindingKind.BROKEN)
    about = "Rules that the user had to say again, and rules that were broken where a program can check it."
    yield from _list("rules", "Rules repeated and broken", about, rules, names)


def _list(
    id: str, title: str, about: str, findings: Sequence[Finding], names: Mapping[str, str], *, none: str = "None."
) -> Iterator[str]:
    yield f'<h2 id="{id}">{title} <span class="soft">({len(findings)})</span></h2>'
    yield f'<p class="note">{about}</p><div class="table findings">'
    rows = [_finding_row(finding, names[finding.source]) for finding in findings]
    yield from rows[:_MAX_FINDINGS]
    if more := rows[_MAX_FINDINGS:]:
        yield opening(f'<div class="none">{len(more)} more</div>', more)
    yield "" if findings else f'<div class="none">{none}</div>'
    yield "</div>"


def _finding_row(finding: Finding, name: str) -> str:
    tokens = f"{size(finding.tokens)} tokens" if finding.tokens else text(finding.what)
    says = f'{text(finding.says)} <span class="soft">in {text(name)}</span>'
    cells = [f'<span class="tag">{text(finding.what)}</span>', says, f'<span class="tag">{tokens}</span>']
    about = (
        f'<p class="id">{text(finding.id)} · {text(finding.session)} · {text(finding.source)} · {text(finding.how)}</p>'
    )
    return opening(row(cells, first_numbers=2), [about, *map(quotation, finding.evidence)], id=finding.id)


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────────


def _sessions(report: AuditReport) -> Iterator[str]:
    yield '<h2 id="sessions">Sessions</h2><div class="table sessions">'
    heads = ["session", "client", "began", "messages", "tokens", "sent", "window", "cost", "comp."]
    yield row(heads, first_numbers=3, is_head=True, wide=(1, 2, 3, 5, 6))
    for session in sorted(report.sessions, key=lambda session: -session.use.tokens):
        cells = _session_cells(session, spending([session], report.prices).total)
        yield opening(row(cells, first_numbers=3, wide=(1, 2, 3, 5, 6)), _session_inside(session))
    yield "</div>"


def _session_cells(figures: SessionFigures, spent: Spent) -> list[str]:
    name = text(figures.title or figures.id)
    return [
        name,
        text(figures.client),
        when(figures.started),
        str(figures.messages),
        size(figures.use.tokens),
        size(figures.sent_tokens),
        size(figures.window.tokens),
        spent.display_text if spent.requests else "?",
        str(figures.compactions),
    ]


def _session_inside(figures: SessionFigures) -> Iterator[str]:
    window = f"window {figures.window.tokens:,} ({figures.window.source})"
    names = (text(figures.id), text(figures.source), text(figures.model), window, text(figures.folder))
    yield f'<p class="id">{" · ".join(names)}</p><ul>'
    for prefix in (KIND, TOOL):
        for name, figure in figures.use.figures_of(prefix).items():
            largest = ", ".join(f"m{number} ({size(tokens)})" for number, tokens in figure.largest(5))
            yield f"<li>{text(name)}: {size(figure.tokens)} tokens <span class='soft'>— largest: {largest}</span></li>"
    yield "</ul>"


def _skipped_files(report: AuditReport) -> Iterator[str]:
    if report.skipped:
        yield f'<h2 id="skipped">Left out <span class="soft">({len(report.skipped)})</span></h2><ul>'
        yield from (f"<li>{text(file.reason)}</li>" for file in report.skipped)
        yield "</ul>"
