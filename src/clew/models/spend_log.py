"""What models have cost: by session, and in the last hour over all sessions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, Protocol

import orjson

from clew.ports import Store

_SPACE, _HOUR = "spending", "hour"


class Spent(NamedTuple):
    """One question: when, and how many tokens asked and answered."""

    at: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Spending:
    """What the last hour cost over all sessions, oldest first, and what one session has cost in all."""

    hour: tuple[Spent, ...] = ()
    calls: int = 0
    tokens: int = 0


class SpendLog(Protocol):
    """Keeps what sessions, and the last hour over all of them, have cost."""

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        """Replaces the spending by what ``update`` makes of it, as one step; if it raises, nothing changes."""


class MemorySpendLog:
    """A spend log for one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._hour: tuple[Spent, ...] = ()
        self._sessions: dict[str, tuple[int, int]] = {}

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        with self._lock:
            new = update(Spending(self._hour, *self._sessions.get(session, (0, 0))))
            self._hour, self._sessions[session] = new.hour, (new.calls, new.tokens)


class StoreSpendLog:
    """A spend log for all processes that share a store, and for later ones.

    Sessions, and the hour, are those of one user.
    """

    def __init__(self, store: Store, *, tenant: str, user: str) -> None:
        self._store, self._tenant, self._user = store, tenant, user

    def change(self, session: str, update: Callable[[Spending], Spending]) -> None:
        with self._store.transaction():
            hour = tuple(Spent(*one) for one in orjson.loads(self._get(_HOUR) or b"[]"))
            new = update(Spending(hour, *orjson.loads(self._get(_session_name(session)) or b"[0,0]")))
            self._put(_HOUR, orjson.dumps([tuple(one) for one in new.hour]))
            # An answer may come when the session is gone: that must not bring its name back.
            self._put(_session_name(session), orjson.dumps([new.calls, new.tokens]) if new.calls else None)

    def forget(self, session: str) -> None:
        """Drops what the session has cost; the hour, which names no session, stays."""
        self._put(_session_name(session), None)

    def _get(self, name: str) -> bytes | None:
        return self._store.values(self._tenant, self._user, _SPACE, [name]).get(name)

    def _put(self, name: str, value: bytes | None) -> None:
        self._store.put_values(self._tenant, self._user, _SPACE, {name: value})


def _session_name(session: str) -> str:
    return f"session {session}"
