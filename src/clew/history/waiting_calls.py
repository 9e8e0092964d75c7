"""Calls that wait for their outputs, in rows of their own. A projection's state is written with every message, and in a
long session many calls are never answered.
"""

from __future__ import annotations

from typing import Any

from clew.ports import Rows

#: Before a call's id, in the name of its row.
WAITING = "wait/"
#: Most calls that are kept; a client that lost more will not bring them.
_MOST = 64


class WaitingCalls:
    """What is known of calls until their outputs come, by their ids. A call that is answered in the same run takes no
    row.
    """

    def __init__(self, rows: Rows, known: dict[str, Any]) -> None:
        """``known`` is what ``save`` returned; earlier versions kept what is in rows now."""
        self._rows, self._waiting = rows, dict(known)

    def add(self, id: str, about: Any) -> None:
        """Notes what is known of a call."""
        self._waiting[id] = about

    def take(self, id: str) -> Any:
        """Returns what is known of a call, whose output has come; an empty list where nothing is."""
        about = self._waiting.pop(id, None)
        if about == []:
            about = self._rows.get(WAITING + id)
            self._rows.remove(WAITING + id)
        return about or []

    def save(self) -> dict[str, Any]:
        """Writes rows of the calls that still wait. Returns their ids, as part of a projection's state."""
        for id in list(self._waiting)[:-_MOST]:
            self.take(id)
        for id, about in self._waiting.items():
            if about:
                self._rows.put(WAITING + id, about)
        return {id: [] for id in self._waiting}
