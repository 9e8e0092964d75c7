"""Deletes words that one session has lent to others: a purge of it takes them out of their entries too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import orjson

from clew.domain import Entry, EntryKind
from clew.engine.ledger.entries import EntryLog
from clew.engine.ledger.session_ledger import SessionLedger

#: What stands in the place of words that were purged.
_ERASED = "[purged]"


def erase_words(ledger: SessionLedger, log: EntryLog, texts: Sequence[str]) -> None:
    """Takes texts out of what Clew itself has written into a session: rules given to it, and packs as they were sent.
    What people and models said there stays, and so do pins of its own. Its epochs end.
    """
    changed = list(_entries_without((entry for entry in log.read(ledger.key) if _may_lend(entry)), texts))
    if changed:
        with ledger.transaction():
            log.rewrite(ledger.key, changed)
            ledger.rebuild()


def _may_lend(entry: Entry) -> bool:
    return entry.kind.belongs_to_packs or (entry.kind is EntryKind.PIN and entry.body.startswith(b'{"given":'))


def _entries_without(entries: Iterable[Entry], texts: Sequence[str]) -> Iterable[Entry]:
    for entry in entries:
        body = orjson.loads(entry.body)
        erased = _erase(body, texts)
        if erased != body:
            yield replace(entry, body=orjson.dumps(erased))


def _erase(value: Any, texts: Sequence[str]) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, _ERASED)
        return value
    if isinstance(value, list):
        return [_erase(member, texts) for member in value if not _is_rule(member, texts)]
    if isinstance(value, dict):
        return {name: _erase(member, texts) for name, member in value.items()}
    return value


def _is_rule(value: Any, texts: Sequence[str]) -> bool:
    """True for a rule that says one of the texts and nothing else."""
    return isinstance(value, dict) and value.get("text") in texts and "scope" in value
