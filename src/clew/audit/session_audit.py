"""The audit of one session file: figures first, which are quick, then compactions and findings. Its window is known by
the rules that hold for sessions of a store: health, status line and audit agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from zlib import crc32

from clew.audit.compactions import CompactedSpan, compacted_spans
from clew.audit.findings import broken_finding, finding_id, quote, reread_finding, unit_finding
from clew.audit.needed_units import Fate, NeededUnit, needed_units
from clew.audit.read_again import Reread, read_again
from clew.audit.recorded_session import CountedRequest, RecordedSession, read_sessions, total_usage
from clew.audit.rule_record import rule_record
from clew.audit.token_use import part_sizes, token_use
from clew.audit.values import CodeUse, CompactionAudit, Evidence, Finding, FindingKind, SessionFigures, SessionFindings
from clew.audit.what_if import PackedInstead
from clew.domain import EntryKind, SessionKey, SkippedRecord
from clew.domain.ids import message_id
from clew.domain.values import to_json
from clew.engine.ledger.rows import SessionRows
from clew.history.prompt_usage import PromptUsage, PromptUsageProjection
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback
from clew.storage.memory import MemoryStore
from clew.tokens.tokenizers import STORED_MEASURE, tokenizer_for
from clew.tokens.windows import Window, session_window

#: Of each figure, so many messages are quoted, and so much of each.
_QUOTED, _QUOTE_CHARS = 3, 160


def session_figures(path: str, format: str) -> list[SessionFigures]:
    """Counts the tokens of each conversation in a file. Raises as ``read_sessions`` does."""
    file = read_sessions(path, format=format)
    return [_figures(session, file.skipped if not index else ()) for index, session in enumerate(file.sessions)]


def session_findings(path: str, format: str, what_if: bool, budget: int) -> list[SessionFindings]:
    """Finds what compactions lost, what was read again, and rules that were said or broken, in each conversation.

    With ``what_if`` Clew packs into ``budget`` tokens at each compaction, or into as many as the summary took.
    """
    sessions = read_sessions(path, format=format).sessions
    return [_findings(session, what_if=what_if, budget=budget) for session in sessions]


def _figures(session: RecordedSession, skipped: tuple[SkippedRecord, ...]) -> SessionFigures:
    sizes, info = part_sizes(session), session.info
    use, requests = token_use(session, sizes), tuple(_requests(session, sizes))
    times = [message.at for message in session.messages if message.at is not None]
    largest = {
        name: tuple(
            quote(session, number, f"{tokens} tokens", limit=_QUOTE_CHARS) for number, tokens in figure.largest(_QUOTED)
        )
        for name, figure in use.figures.items()
    }
    return SessionFigures(
        path=session.path,
        source=session.source,
        id=session.id,
        conversation=session.conversation,
        title=info.title,
        client=info.client,
        model=info.model,
        folder=info.cwd,
        messages=len(session.messages),
        is_subagent=not session.main,
        started=min(times, default=0.0),
        ended=max(times, default=0.0),
        usage=total_usage(request.usage for request in requests),
        requests=requests,
        window=window_of(session, sizes),
        use=use,
        compactions=sum(1 for _ in compacted_spans(session)),
        lines=session.lines,
        largest=largest,
        keys=frozenset(crc32(record.key.encode()) for _, record in session.records if record.key and record.message),
        skipped=skipped,
    )


def _requests(session: RecordedSession, sizes: Mapping[int, int]) -> Iterator[CountedRequest]:
    """What requests took. Files often tell of a reply's tokens while it still comes, as 1: then what was recorded of it
    counts.
    """
    for request in session.requests:
        message = session.message(request.reply)
        recorded = sum(sizes[id(part)] for part in message.parts) if message else 0
        yield replace(request, usage=replace(request.usage, output_tokens=max(request.usage.output_tokens, recorded)))


def _findings(session: RecordedSession, *, what_if: bool, budget: int) -> SessionFindings:
    compactions, findings = list[CompactionAudit](), list[Finding]()
    count, root = tokenizer_for(STORED_MEASURE).count, session.info.cwd
    with ExitStack() as stack:
        spans = list(compacted_spans(session))
        instead = stack.enter_context(PackedInstead(session, budget)) if what_if and spans else None
        for span in spans:
            needed = needed_units(span, root=root, attached=session.attached) if span.is_readable else []
            again = read_again(span, count, root=root)
            made = _compaction(session, span, needed, again, instead=instead)
            compactions.append(made)
            units = [unit for unit in needed if unit.fate is Fate.LOST or not unit.is_fact]
            findings += [unit_finding(session, made.id, span, unit) for unit in units]
            findings += [reread_finding(session, made.id, reread) for reread in again]
    rules = rule_record(session)
    findings += [broken_finding(session, breach) for breach in rules.broken]
    statements = tuple((rule, quote(session, rule.number, "said", around=rule.text)) for rule in rules.said)
    return SessionFindings(
        source=session.source, compactions=tuple(compactions), findings=tuple(findings), rules=statements
    )


def _compaction(
    session: RecordedSession,
    span: CompactedSpan,
    needed: list[NeededUnit],
    again: list[Reread],
    *,
    instead: PackedInstead | None,
) -> CompactionAudit:
    count = tokenizer_for(STORED_MEASURE).count
    mark, summary = span.mark, span.summary
    size = count(summary.text) if summary else 0
    facts, code = ([unit.fate for unit in needed if unit.is_fact is wanted] for wanted in (True, False))
    return CompactionAudit(
        id=_compaction_id(session, span),
        source=session.source,
        place=span.place,
        after=message_id(mark.after),
        summary=summary.id if summary else "",
        at=mark.at,
        automatic=mark.automatic,
        before_tokens=mark.before,
        summary_tokens=size,
        seconds=span.seconds,
        needed=len(facts) if span.is_readable else None,
        held=facts.count(Fate.HELD) if span.is_readable else None,
        lost=facts.count(Fate.LOST) if span.is_readable else None,
        code=CodeUse(*map(code.count, (Fate.HELD, Fate.KEPT, Fate.READ_AGAIN))) if span.is_readable else None,
        read_again_tokens=sum(reread.tokens for reread in again),
        evidence=tuple(_surrounding_evidence(session, span)),
        what_if=instead.pack(span, needed, again, tokens=size) if instead else None,
    )


def _compaction_id(session: RecordedSession, span: CompactedSpan) -> str:
    hashed = finding_id(FindingKind.LOST, session.id, session.conversation, span.mark.after)
    return f"compaction-{hashed.rpartition('-')[2]}"


def _surrounding_evidence(session: RecordedSession, span: CompactedSpan) -> Iterator[Evidence]:
    if span.since not in (0, span.before[-1].number):
        yield quote(session, span.since, "waiting is counted from here")
    yield quote(session, span.before[-1].number, "last message before it")
    if span.summary is not None:
        yield quote(session, span.summary.number, "the summary")
    if span.after:
        yield quote(session, span.after[0].number, "first message behind it")


def window_of(session: RecordedSession, sizes: Mapping[int, int]) -> Window:
    """Returns the window that the session ran in, and who says so. ``sizes`` are tokens of parts by identity."""
    info = session.info
    rows = SessionRows(MemoryStore(), SessionKey("", "", "audit"), PromptUsageProjection.name)
    usage = PromptUsage.load(PromptUsageProjection().apply(None, _changes(session, sizes), rows))
    return session_window(
        info.model,
        client=info.client,
        stated=usage.window,
        compacted_at=usage.compacted_at,
        most_taken=usage.most,
    )


def _changes(session: RecordedSession, sizes: Mapping[int, int]) -> Iterator[LedgerEvent]:
    for entry, record in session.records:
        if record.report is not None:
            yield LedgerNote(entry.kind, entry.seq, {"report": to_json(record.report)})
        if record.rollback:
            yield Rollback(record.rollback)
        message = record.message
        if message is not None and entry.message:
            tokens = tuple(sizes.get(id(part), 0) for part in message.parts)
            yield MessageChange(entry.message, message, tokens, entry.kind is EntryKind.MORE, entry.replaces)
