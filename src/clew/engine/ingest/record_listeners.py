"""Who waits for something to be recorded in a session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from weakref import ReferenceType, WeakMethod, ref

from clew.domain import SessionKey
from clew.engine.ledger.session_ledger import SessionLedger
from clew.ports import Events


@dataclass(frozen=True, slots=True)
class _Listener:
    """A bound method, held weakly, with the ledger of the handle it belongs to and a name among that handle's."""

    method: WeakMethod[Callable[[], None]]
    ledger: ReferenceType[SessionLedger]
    name: str


class RecordListeners:
    """Notifies whoever waits for something to be recorded in a session.

    The listeners of the handle that recorded are notified; where it has none (an import, another handle), the newest
    listener of each name. A listener is forgotten with the object it belongs to.
    """

    def __init__(self, events: Events) -> None:
        self._events, self._lock = events, Lock()
        self._listeners: dict[SessionKey, list[_Listener]] = {}

    def add(self, ledger: SessionLedger, name: str, listener: Callable[[], None]) -> None:
        with self._lock:
            alive = [listener for listener in self._listeners.get(ledger.key, ()) if listener.method() is not None]
            self._listeners[ledger.key] = [*alive, _Listener(WeakMethod(listener), ref(ledger), name)]

    def notify(self, ledger: SessionLedger) -> None:
        """Calls the listeners; what one raises is emitted as ``listener.failed`` and stops nobody."""
        with self._lock:
            listeners = self._listeners.get(ledger.key, [])
        own = [listener for listener in listeners if listener.ledger() is ledger]
        for listener in own or {listener.name: listener for listener in listeners}.values():
            method = listener.method()
            try:
                if method is not None:
                    method()
            except Exception as error:
                self._events.emit("listener.failed", session=ledger.id, reason=str(error) or type(error).__name__)

    def forget(self, key: SessionKey) -> None:
        with self._lock:
            self._listeners.pop(key, None)
