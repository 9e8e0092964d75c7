"""What everyone who works on a session in this process has in common, whichever handle they hold."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

from clew.domain import SessionKey

T = TypeVar("T")
#: Objects that are kept though nobody holds them, and what they may weigh together; the least recently used are
#: dropped, and made again when needed. A message weighs 1, and takes 7 to 10 KB in a session that is warm.
_MOST_KEPT, _MOST_WEIGHT = 4_000, 6_000


class SharedObjects:
    """One object of each class for each session of an engine. What somebody holds is never made a second time.
    Objects may say what they weigh, as ``weight``.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # one object may be made of another
        self._held: WeakValueDictionary[tuple[SessionKey, type], Any] = WeakValueDictionary()
        self._recent: OrderedDict[tuple[SessionKey, type], Any] = OrderedDict()

    def get_or_make(self, key: SessionKey, kind: type[T], *, make: Callable[[], T]) -> T:
        """Returns the session's object of a class; the first who asks makes it."""
        place = key, kind
        with self._lock:
            shared = self._held.get(place)
            if shared is None:
                shared = self._held[place] = make()
            self._recent[place] = shared
            self._recent.move_to_end(place)
            self._drop_oldest()
            return cast("T", shared)

    def _drop_oldest(self) -> None:
        """The newest stays, whatever it weighs."""
        weight = sum(_weight(shared) for shared in self._recent.values())
        while len(self._recent) > 1 and (len(self._recent) > _MOST_KEPT or weight > _MOST_WEIGHT):
            weight -= _weight(self._recent.popitem(last=False)[1])

    def forget(self, key: SessionKey | None = None) -> None:
        """Drops what is kept of a session, or of all."""
        with self._lock:
            for place in [place for place in self._recent if key in (None, place[0])]:
                del self._recent[place]


def _weight(shared: Any) -> int:
    return getattr(shared, "weight", 0)
