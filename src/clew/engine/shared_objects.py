"""What everyone who works on a session in this process has in common, whichever handle they hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from clew.domain import SessionKey

T = TypeVar("T")
#: Objects that are kept though nobody holds them; the least recently used are dropped, and made again when needed.
_MOST_KEPT = 1_000


class SharedObjects:
    """One object of each class for each session of an engine. What somebody holds is never made a second time."""

    def __init__(self) -> None:
        self._lock = RLock()  # one object may be made of another
        self._held: WeakValueDictionary[tuple[SessionKey, type], Any] = WeakValueDictionary()
        self._recent: OrderedDict[tuple[SessionKey, type], Any] = OrderedDict()

    def get_or_make(self, key: SessionKey, kind: type[T], *, make: Callable[[], T]) -> T:
        """Returns the session's object of a class; the first who asks makes it."""
        place = key, kind
        with self._lock:
            found = self._held.get(place)
            if found is None:
                found = self._held[place] = make()
            self._recent[place] = found
            self._recent.move_to_end(place)
            if len(self._recent) > _MOST_KEPT:
                self._recent.popitem(last=False)
            return cast("T", found)

    def forget(self, key: SessionKey | None = None) -> None:
        """Drops what is kept of a session, or of all."""
        with self._lock:
            for place in [one for one in self._recent if key in (None, one[0])]:
                del self._recent[place]
