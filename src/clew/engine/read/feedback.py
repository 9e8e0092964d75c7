"""Feedback as it is read: of one session for its messages, of all sessions of a user for chunks of knowledge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clew.domain import SessionInfo, SessionKey, UnitUse
from clew.engine.ledger.rows import SessionRows, row_value
from clew.engine.ledger.session_ledger import SessionLedger
from clew.ports import Store
from clew.retrieval.feedback import CHUNK, MESSAGE, FeedbackProjection, Tally, precision, strongest

#: Newest sessions whose feedback on chunks counts.
_SESSIONS = 200


class FeedbackReader:
    """Reads the feedback of one session, and of its user on chunks."""

    def __init__(self, ledger: SessionLedger, store: Store) -> None:
        self._ledger, self._store = ledger, store

    def of_messages(self) -> dict[str, UnitUse]:
        """Returns the use of the session's messages by id. No other session has a part in it.

        A session of which nothing was derived yet has none; it is not read a second time for that.
        """
        if self._store.row(self._ledger.key, FeedbackProjection.name, "") is None:
            return {}
        rows = self._ledger.rows(FeedbackProjection.name, alone=True)
        scanned = rows.scan(MESSAGE, MESSAGE + "~")
        return {name.removeprefix(MESSAGE): tally.use for name, tally in _tallies(scanned, self._turn(rows))}

    def for_epoch(self, *, chunks: bool) -> dict[str, UnitUse]:
        """Returns what an epoch that begins now is ranked by: the session's feedback, and with ``chunks`` the user's on
        these.
        """
        return strongest(self.of_messages() | (chunk_uses(self._store, self._of_user()) if chunks else {}))

    def _of_user(self) -> Sequence[SessionInfo]:
        """The sessions of the user who was named for this one; this one alone where nobody was."""
        info = self._ledger.info
        sessions = self._store.sessions(info.key.tenant, info.key.user) if info.owner else [info]
        return [session for session in sessions if session.owner == info.owner]

    def precision(self) -> dict[str, dict[str, float]]:
        """Returns for each kind of unit how many were retrieved in the session, how many used, and their share."""
        state = self._ledger.state(FeedbackProjection.name) or {}
        return precision(state.get("kinds", {}))

    def _turn(self, rows: SessionRows) -> int:
        return _turn(rows.get(""))


def chunk_uses(store: Store, infos: Sequence[SessionInfo]) -> dict[str, UnitUse]:
    """Returns the use of chunks by id, as these sessions, newest first, have shown it. The feedback of a session fades
    as replies are judged in newer ones.
    """
    together: dict[str, Tally] = {}
    newer = 0
    for info in infos[:_SESSIONS]:
        turn = _turn(_state(store, info.key))
        scanned = store.rows(info.key, FeedbackProjection.name, start=CHUNK, stop=CHUNK + "~") if turn else []
        for name, tally in _tallies([(name, row_value(raw)) for name, raw in scanned], turn + newer):
            id = name.removeprefix(CHUNK)
            together[id] = together.get(id, Tally()).plus(tally)
        newer += turn
    return {id: tally.use for id, tally in together.items()}


def _state(store: Store, key: SessionKey) -> Any:
    raw = store.row(key, FeedbackProjection.name, "")
    return row_value(raw) if raw else None


def _turn(row: Any) -> int:
    return int((row or {}).get("state", {}).get("turn", 0))


def _tallies(rows: list[tuple[str, Any]], turn: int) -> list[tuple[str, Tally]]:
    return [(name, Tally(*values).at_turn(turn)) for name, values in rows]
