"""What a part of Clew is handed instead of reaching for it: the time, events, token counts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol


class Clock(Protocol):
    """Tells the time. Tests hand in one that they control."""

    def now(self) -> float:
        """Returns seconds since 1970, UTC."""


class Events(Protocol):
    """Publishes named events to listeners. Emitting without listeners does nothing."""

    def on(self, name: str, listener: Callable[..., object]) -> Callable[[], None]:
        """Calls ``listener(event)`` for each event of that name. Returns a function that removes the listener.

        Raises UsageError for a name that no event has.
        """

    def has(self, name: str) -> bool:
        """Returns True when a listener is registered under exactly this name.
        Callers use it to skip costly event data.
        """

    def emit(self, name: str, /, **data: Any) -> None:
        """Calls all listeners of the event. A listener that raises stops neither the others nor the caller."""

    def held(self) -> AbstractContextManager[None]:
        """Opens a block whose events, those of this thread, are told when it has ended; if it raises, never."""


#: Counts the tokens of a text: what most code needs of a tokenizer.
TokenCounter = Callable[[str], int]


class Tokenizer(Protocol):
    """Counts tokens as one model does."""

    name: str

    def count(self, text: str) -> int:
        """Returns the number of tokens in the text. An estimate never counts too few."""
