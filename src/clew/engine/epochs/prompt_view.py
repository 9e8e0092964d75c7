"""The prompt view: the newest part of what may be sent, held in memory and extended as the session grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from clew.curation.projection import CuratedFormsProjection, form_row
from clew.domain import Entry, Message, Record, Role, SessionInfo
from clew.engine.ledger.session_ledger import SessionLedger
from clew.history.fold import History, is_sendable
from clew.history.overview import OverviewProjection, row_name
from clew.packing.model_switch import newest_model
from clew.replies.parsing import without_notes

#: Forms of a message's outputs by blob id: the shorter ``text``, and ``same`` or ``like`` for one that repeats another.
FormsOfMessage = dict[str, dict[str, Any]]


class PromptView:
    """Messages from number ``first`` on. The place of a message is the number it was first recorded under.

    ``replied_at`` is the time of the last reply.
    """

    def __init__(self, ledger: SessionLedger, first: int) -> None:
        self._ledger, self.first = ledger, first
        self._version = self._seq = -1
        self._history = History()
        self._forms: dict[int, FormsOfMessage] = {}
        self._sendable: list[tuple[int, Message]] | None = None
        self._told_of: Sequence[tuple[int, Message]] = ()
        self._told: list[Message] = []
        self._model: str | None = None
        self.replied_at = 0.0

    def messages(self) -> Sequence[tuple[int, Message]]:
        """Returns what may be sent, with places: newest versions, without what was rolled back. It grows with the
        session: whoever keeps it takes a copy.
        """
        self._refresh()
        if self._sendable is None:
            self._sendable = self._find_sendable()
        return self._sendable

    def told_messages(self) -> Sequence[Message]:
        """Returns the same messages as their users see them: without what a model wrote for Clew alone."""
        messages = self.messages()
        if self._told_of is not messages:
            self._told_of, self._told = messages, []
        self._told += [without_notes(message) for _, message in messages[len(self._told) :]]
        return self._told

    def newest_model(self) -> str:
        """Returns the model that replied last; "" where no reply says which it was."""
        messages = self.messages()
        if self._model is None:
            self._model = newest_model(message for _, message in reversed(messages))
        return self._model

    def _find_sendable(self) -> list[tuple[int, Message]]:
        history = self._history
        replacements = set(history.aliases.values())
        return self._sendable_at(place for place in sorted(history.messages) if place not in replacements)

    def _sendable_at(self, places: Iterable[int]) -> list[tuple[int, Message]]:
        history = self._history
        return [
            (place, message)
            for place, number in ((place, history.resolve(place)) for place in places)
            if number not in history.rolled_back
            and (message := history.messages.get(number)) is not None
            and is_sendable(message)
        ]

    def is_transcribed(self, number: int) -> bool:
        """Returns True for a message that came from an assistant's session file."""
        return number in self._history.transcribed

    def forms(self, number: int) -> FormsOfMessage:
        """Returns the shorter forms that were chosen for a message's outputs when it was recorded."""
        return self._forms.get(number, {})

    def _refresh(self) -> None:
        info = self._ledger.info
        if info.version != self._version:
            self._sendable = self._model = None
            self._load(info)
        elif info.entries > self._seq:
            read = self._ledger.read(after=self._seq, until=info.entries)
            new = [(entry, record) for entry, record in read if entry.message >= self.first]
            last = self._sendable[-1][0] if self._sendable else 0
            follows = all(
                entry.message > last and entry.message not in self._history.messages and not entry.replaces
                for entry, _ in new
            )
            self._add(new)
            if not follows:
                self._sendable = self._model = None
            elif self._sendable is not None:
                added = self._sendable_at(sorted({entry.message for entry, _ in new}))
                self._sendable += added
                if self._model is not None:
                    self._model = newest_model(message for _, message in reversed(added)) or self._model
        self._version, self._seq = info.version, info.entries

    def _load(self, info: SessionInfo) -> None:
        """Reads all messages anew, as they were when the session's row was read: what came since is added later."""
        self._history, self._forms = History(), {}
        read = self._ledger.read_messages(self.first, info.messages)
        self._add([(entry, record) for entry, record in read if entry.seq <= info.entries])
        rows = self._ledger.rows(OverviewProjection.name).scan(row_name(self.first))
        self._history.rolled_back = {int(name) for name, row in rows if row.get("left")}

    def _add(self, pairs: Sequence[tuple[Entry, Record]]) -> None:
        for entry, record in pairs:
            self._history.add(entry, record)
            if record.message is not None and record.message.role is Role.ASSISTANT:
                self.replied_at = max(self.replied_at, entry.at or 0.0)
        numbers = [entry.message for entry, _ in pairs]
        if numbers:
            start, stop = form_row(min(numbers)), form_row(max(numbers) + 1)
            for name, row in self._ledger.rows(CuratedFormsProjection.name).scan(start, stop):
                self._forms[int(name)] = row
