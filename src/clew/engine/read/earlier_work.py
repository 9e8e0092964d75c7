"""The work map as it stood at an earlier message, made anew from the ledger: stored is the present one alone."""

from __future__ import annotations

from collections.abc import Iterator

from clew.domain import EntryKind
from clew.engine.ledger.rows import SessionRows
from clew.engine.ledger.session_ledger import SessionLedger
from clew.history.work_map.projection import WorkMapProjection
from clew.history.work_map.view import WorkMap, load_work_map
from clew.ports import MessageChange
from clew.storage.memory import MemoryStore


def work_map_until(ledger: SessionLedger, last: int) -> WorkMap:
    """Returns the work map of the messages up to the one with that number."""
    rows = SessionRows(MemoryStore(), ledger.key, WorkMapProjection.name)
    WorkMapProjection().apply(None, list(_changes(ledger, last)), rows)
    return load_work_map(rows.scan())


def _changes(ledger: SessionLedger, last: int) -> Iterator[MessageChange]:
    for entry, record in ledger.read_messages(1, last, shared=True):
        if record.message is not None:
            told_with = ((), entry.kind is EntryKind.MORE, entry.replaces, None, record.facts.branch, record.facts.cwd)
            yield MessageChange(entry.message, record.message, *told_with)
