"""The messages around a found one that are needed to understand it."""

from __future__ import annotations

from clew.domain import Message, Role
from clew.engine.ledger.session_ledger import SessionLedger
from clew.engine.read.reader import SessionReader
from clew.history.fold import is_sendable
from clew.history.overview import OverviewProjection, place_of
from clew.retrieval.neighbours import is_self_contained, needs_message_before

#: How far back the message before is looked for: what was edited or rolled back may stand between.
_LOOK_BACK = 4


class Neighbours:
    """Finds the neighbour that a message of one session cannot be understood without."""

    def __init__(self, ledger: SessionLedger, reader: SessionReader) -> None:
        self._ledger, self._reader = ledger, reader

    def needed_before(self, message: Message) -> Message | None:
        """Returns the message before, as the prompt view has it, where the given one needs it; else None."""
        if is_self_contained(message):
            return None
        place = place_of(message.number, self._ledger.rows(OverviewProjection.name, alone=True))
        first = max(1, place - _LOOK_BACK)
        messages = self._reader.read_current_versions(first, place - 1, shared=True) if place > 1 else []
        left = self._reader.rolled_back(message.number for message in messages)
        near = [message for message in messages if message.number not in left and _says(message)]
        return near[-1] if near and needs_message_before(message, near[-1]) else None


def _says(message: Message) -> bool:
    return message.role is not Role.SYSTEM and is_sendable(message)
