"""Notes that a model reports by a call instead of in its reply: on its turn so far, or on segments it was asked to
summarise. They are checked as strictly as those in replies.
"""

from __future__ import annotations

from typing import Any

from clew.domain import EntryKind, Housekeeping, Segment
from clew.domain.values import to_json
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.errors import NotFound, UsageError
from clew.replies.schema import Refusal, housekeeping_from


class ReportedNotes:
    """Writes a model's notes on one session to the ledger."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader) -> None:
        self._ledger, self._reader = ledger, reader

    def add(self, notes: Any, *, segment: str = "") -> Housekeeping:
        """Writes notes on a segment, or on the newest one. Returns them as they were understood.

        Raises UsageError for what is no housekeeping, NotFound for a segment that is not there.
        """
        try:
            housekeeping = housekeeping_from(notes)
        except Refusal as refusal:
            raise UsageError(f"the notes are not taken: {refusal}") from None
        number = self._segment(segment).last if segment else self._reader.info.messages
        if not number:
            raise NotFound(f"session {self._reader.id} has no messages that notes could be about", about="session")
        about = {"housekeeping": to_json(housekeeping), "message": number}
        self._ledger.append(EntryKind.HOUSEKEEPING, about)
        return housekeeping

    def _segment(self, id: str) -> Segment:
        segment = next((segment for segment, name in self._reader.outline() if id in (name, segment.id)), None)
        if segment is None:
            raise NotFound(f"no segment {id} in session {self._reader.id}; search_context and the outline name them")
        return segment
