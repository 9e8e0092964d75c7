"""The newest part of a session's prompt view, held in memory and extended by what is new."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import orjson

from clew.curation.projection import Forms, form_row
from clew.domain import Entry, Message, Record, Role
from clew.history.fold import History, is_sendable
from clew.history.overview import Overview, row_name

if TYPE_CHECKING:
    from clew.engine.session import Session

#: An output's forms by the id of its whole: the shorter ``text``, and ``like`` for one that repeats another.
FormsOfMessage = dict[str, dict[str, Any]]


class Tail:
    """Messages from number ``first`` on. A place is the number a message was first recorded under."""

    def __init__(self, session: Session, first: int) -> None:
        self._session, self.first = session, first
        self._version = self._seq = -1
        self._history = History()
        self._forms: dict[int, FormsOfMessage] = {}
        self.replied_at = 0.0

    def view(self) -> list[tuple[int, Message]]:
        """What may be sent, with its places: newest versions, what was rolled back left out."""
        self._refresh()
        history = self._history
        replacements = set(history.aliases.values())
        places = [(place, history.resolve(place)) for place in sorted(history.messages) if place not in replacements]
        return [
            (place, message)
            for place, number in places
            if number not in history.left and is_sendable(message := history.messages[number])
        ]

    def forms(self, number: int) -> FormsOfMessage:
        return self._forms.get(number, {})

    def _refresh(self) -> None:
        info = self._session.info
        if info.version != self._version:
            self._load()
        elif info.entries > self._seq:
            before = self._session.engine.read(info.key, self._seq, info.entries)
            self._take([(entry, record) for entry, record in before if entry.message >= self.first])
        self._version, self._seq = info.version, info.entries

    def _load(self) -> None:
        session, info = self._session, self._session.info
        self._history, self._forms = History(), {}
        self._take(list(session.engine.read_messages(info.key, self.first, info.messages)))
        rows = session.engine.store.rows(info.key, Overview.name, start=row_name(self.first))
        self._history.left = {int(name) for name, row in rows if orjson.loads(row).get("left")}

    def _take(self, pairs: Sequence[tuple[Entry, Record]]) -> None:
        for entry, record in pairs:
            self._history.add(entry, record)
            if record.message is not None and record.message.role is Role.ASSISTANT:
                self.replied_at = max(self.replied_at, entry.at or 0.0)
        numbers = [entry.message for entry, _ in pairs]
        if numbers:
            store, key = self._session.engine.store, self._session.info.key
            start, stop = form_row(min(numbers)), form_row(max(numbers) + 1)
            for name, row in store.rows(key, Forms.name, start=start, stop=stop):
                self._forms[int(name)] = orjson.loads(row)
