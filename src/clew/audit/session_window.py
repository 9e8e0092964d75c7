"""The window of a session, by the rules that hold for sessions of a store: health, status line and audit agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clew.audit.recorded_session import RecordedSession
from clew.domain import EntryKind
from clew.domain.sessions import SessionKey
from clew.domain.values import to_json
from clew.engine.ledger.rows import SessionRows
from clew.history.prompt_usage import PromptUsage, PromptUsageProjection
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rollback
from clew.storage.memory import MemoryStore
from clew.tokens.windows import Window, session_window


def window_of(session: RecordedSession, sizes: Mapping[int, int]) -> Window:
    """Returns the window that the session ran in, and who says so. ``sizes`` are tokens of parts by identity."""
    info = session.info
    rows = SessionRows(MemoryStore(), SessionKey("", "", "audit"), PromptUsageProjection.name)
    usage = PromptUsage(**PromptUsageProjection().apply(None, _changes(session, sizes), rows))
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
