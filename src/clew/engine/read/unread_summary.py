"""Compactions of a client whose summary nobody can read: it is encrypted, or stands nowhere in the transcript."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from clew.codecs import jsonio
from clew.domain import Entry, EntryKind
from clew.engine.ledger.entries import decode_with_notes
from clew.engine.ledger.session_ledger import SessionLedger

#: Entries that are read at once, from the end, and the most that are looked at.
_STEP, _MOST_ENTRIES = 512, 20_000
#: A word in every client's note of a compaction: what has it not need not be decoded.
_MARK = b"compact"


@dataclass(frozen=True, slots=True)
class UnreadSummary:
    """The newest compaction: ``seq`` of its entry, ``after`` the number of the last message before it, and ``kept``,
    all that the client says it goes on with word for word.
    """

    seq: int
    after: int
    kept: str


def newest_unread_summary(ledger: SessionLedger, *, after: int) -> UnreadSummary | None:
    """Returns the newest compaction without a readable summary behind message number ``after``; None without one."""
    noted: Entry | None = None
    for entry in _newest_first(ledger):
        if noted is not None and entry.message:
            return UnreadSummary(noted.seq, entry.message, "\n".join(_texts(jsonio.loads(noted.body))))
        if entry.message and entry.message <= after:
            return None
        if noted is None and _is_compaction(entry):
            noted = entry
    return None


def _newest_first(ledger: SessionLedger) -> Iterator[Entry]:
    last = ledger.info.entries
    for until in range(last, max(last - _MOST_ENTRIES, 0), -_STEP):
        yield from reversed(list(ledger.entries(after=max(until - _STEP, 0), until=until)))


def _is_compaction(entry: Entry) -> bool:
    if entry.kind is not EntryKind.NOTE or _MARK not in entry.body:
        return False
    report = decode_with_notes(entry)[1].report
    return report is not None and report.compacted


def _texts(value: Any) -> Iterator[str]:
    """The words in a value; ids and what is encrypted have no blank."""
    if isinstance(value, str) and " " in value.strip():
        yield value
    elif isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _texts(member)
