"""The projection that keeps digests and trios of a session up to date as it grows.

Segments are not cut here: their borders are read from the rows of the segments projection, which gets the same
changes first. So the two never disagree, also when this one is rebuilt under other settings. A segment is finished
when a message of a later one comes; what comes later still (an edit, a late output, a run that resolves an old
failure) changes its rows again.

``segment_rows.py`` names the rows; ``update.py`` writes them, and is imported when there is something to write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clew.config import DigestConfig
from clew.domain import EntryKind
from clew.domain.values import from_json, to_json
from clew.ports import LedgerEvent, LedgerNote, MessageChange, Rows


class DigestsProjection:
    """Keeps digests and trios of a session in the rows above."""

    name = "digests"
    version = 11
    keeps_ids = False

    def __init__(self, config: DigestConfig) -> None:
        self._config = config

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        """Takes in new messages; what a rollback takes out is told by the rows of segments."""
        from clew.digests.update import DigestsState, DigestsUpdate

        update = DigestsUpdate(self._config, from_json(DigestsState, state or {}), rows)
        for change in changes:
            if isinstance(change, MessageChange):
                update.apply(change)
            elif isinstance(change, LedgerNote) and change.kind is EntryKind.HOUSEKEEPING:
                update.apply_report(change.about)
        return to_json(update.save())
