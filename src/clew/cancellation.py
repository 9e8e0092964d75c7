"""Cancellation: how whoever waits for an answer says that it is no longer wanted."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock


class Cancel:
    """A flag that says, from any thread, that an answer is no longer wanted. Once set it stays set."""

    def __init__(self) -> None:
        self._said = Event()
        self._lock = Lock()
        self._listeners: list[Callable[[], object]] = []

    @property
    def is_set(self) -> bool:
        """Whether ``cancel`` has been called."""
        return self._said.is_set()

    def cancel(self) -> None:
        """Sets the flag and calls each listener once."""
        with self._lock:
            self._said.set()
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener()

    def wait(self, seconds: float) -> bool:
        """Waits for at most ``seconds``, or until cancelled. Returns whether it was cancelled."""
        return self._said.wait(seconds)

    def on(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Calls the listener on cancellation, at once if that has happened already.
        Returns a function that removes the listener.
        """
        with self._lock:
            if not self._said.is_set():
                self._listeners.append(listener)
                return lambda: self._off(listener)
        listener()
        return lambda: None

    def _off(self, listener: Callable[[], object]) -> None:
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)
