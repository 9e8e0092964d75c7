"""Replays of a session's prompts: whoever moves a slider asks for one after another, of the same messages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TypeVar, cast

from clew.engine.compactor.report import Preview
from clew.engine.engine import Engine
from clew.engine.prompt.pack import Pack
from clew.engine.session import Session
from clew.engine.session_handles import other_handle, shared_object

T = TypeVar("T")
#: What was looked at last is kept: a slider comes back to where it was.
_MOST_KEPT = 16


class Replays:
    """A handle that has the messages of a session in memory, one replay at a time, and what was looked at last. It
    is kept as long as there is room for it."""

    def __init__(self, session: Session) -> None:
        self._session, self._lock = session, Lock()
        self._made: OrderedDict[tuple[object, ...], object] = OrderedDict()

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
        pack, asked = self._session.pack, (query, budget, target)
        return self._keep(
            ("pack", *asked), lambda: pack(query or None, budget=budget, target=target or None, record=False)
        )

    def preview(self, strategy: str, *, keep_recent: int | None, budget: int | None) -> Preview:
        """Returns what a compaction would do. Nothing is written."""
        compactor, asked = self._session.compactor, (strategy, keep_recent, budget)
        return self._keep(
            ("preview", *asked), lambda: compactor.preview(strategy, keep_recent=keep_recent, budget=budget)
        )

    def _keep(self, asked: tuple[object, ...], make: Callable[[], T]) -> T:
        """What was asked of the session as it is, made once."""
        with self._lock:
            info = self._session.info
            place = (info.created, info.entries, *asked)
            if place not in self._made:
                self._made[place] = make()
            self._made.move_to_end(place)
            while len(self._made) > _MOST_KEPT:
                self._made.popitem(last=False)
            return cast("T", self._made[place])
