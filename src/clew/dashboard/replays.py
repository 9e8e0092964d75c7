"""Replays of a session's prompts: whoever moves a slider asks for one after another, of the same messages."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from clew.engine.compactor.report import Preview
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.engine.session_handles import other_handle, shared_object

#: Packs that were looked at last are kept: a slider comes back to where it was.
_MOST_KEPT = 16


class Replays:
    """A handle that has the messages of a session in memory, one replay at a time, and the packs that were looked at
    last. It is kept as long as there is room for it."""

    def __init__(self, session: Session) -> None:
        self._session, self._lock = session, Lock()
        self._packs: OrderedDict[tuple[object, ...], Pack] = OrderedDict()

    @classmethod
    def of(cls, engine: Engine, id: str) -> Replays:
        """Returns those of a session, which all who look at it share. Raises NotFound if there is none."""
        session = engine.find(id)
        return shared_object(session, cls, make=lambda: cls(other_handle(session)))

    @property
    def weight(self) -> int:
        """As many messages as may be in memory."""
        return self._session.info.messages

    def pack(self, query: str = "", *, budget: int | None = None, target: str = "") -> Pack:
        """Returns the pack for a question and a budget. Nothing is recorded."""
        with self._lock:
            info = self._session.info
            asked = (info.created, info.entries, query, budget, target)
            if asked not in self._packs:
                self._packs[asked] = self._session.pack(
                    query or None, budget=budget, target=target or None, record=False
                )
            self._packs.move_to_end(asked)
            while len(self._packs) > _MOST_KEPT:
                self._packs.popitem(last=False)
            return self._packs[asked]

    def preview(self, strategy: str, *, keep_recent: int | None, budget: int | None) -> Preview:
        """Returns what a compaction would do. Nothing is written."""
        with self._lock:
            return self._session.compactor.preview(strategy, keep_recent=keep_recent, budget=budget)
