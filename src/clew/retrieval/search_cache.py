"""Caches of a process for searches: rankings of sessions and vectors of queries. They count how often they helped.

A ranking is kept under everything it was made of: the state of the session, the words of the query in whatever order,
whom and when it asks for, and the vectors it was compared with. So what is recorded since makes it be made anew, and
queries of the same words share one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from clew.domain import SessionKey
from clew.retrieval.fusion import Ranked

#: Rankings and vectors that are kept; the least recently used are dropped.
_RANKINGS, _VECTORS = 64, 256

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class CacheUse:
    """How often a cache had what was asked of it, and how often it had not."""

    hits: int = 0
    misses: int = 0

    @property
    def rate(self) -> float:
        """The share of hits; 0 while nothing was asked."""
        return self.hits / max(self.hits + self.misses, 1)


class UseCounter:
    """Counts hits and misses, from any number of threads."""

    def __init__(self) -> None:
        self._lock, self.use = Lock(), CacheUse()

    def count(self, *, hit: bool) -> None:
        """Counts one more."""
        with self._lock:
            self.use = CacheUse(self.use.hits + hit, self.use.misses + (not hit))


class CountedCache(Generic[V]):
    """Values by what they were made of. It may be used from any number of threads."""

    def __init__(self, most: int) -> None:
        """``most`` is how many values are kept."""
        self._most, self._lock, self._counter = most, Lock(), UseCounter()
        self._values: OrderedDict[Hashable, V] = OrderedDict()

    @property
    def use(self) -> CacheUse:
        """How often it helped so far."""
        return self._counter.use

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Returns the value of a key; where there is none, the one that is made. What fails is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                self._counter.count(hit=True)
                return self._values[key]
        value = make()
        self._counter.count(hit=False)
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
        return value

    def forget(self, is_gone: Callable[[Hashable], bool]) -> None:
        """Drops the values whose keys are gone."""
        with self._lock:
            for key in [value for value in self._values if is_gone(value)]:
                del self._values[key]


@dataclass(frozen=True, slots=True)
class RankingKey:
    """All that a ranking depends on."""

    session: SessionKey
    parts: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Caches:
    """The caches of one engine. ``prepared_epochs`` counts how often the next prompt was ready when it was wanted."""

    rankings: CountedCache[Sequence[Ranked]] = field(default_factory=lambda: CountedCache(_RANKINGS))
    query_vectors: CountedCache[Sequence[float]] = field(default_factory=lambda: CountedCache(_VECTORS))
    prepared_epochs: UseCounter = field(default_factory=UseCounter)

    def forget(self, key: SessionKey | None = None) -> None:
        """Drops what is kept of a session, or of all, and what was asked."""
        self.rankings.forget(lambda one: key is None or (isinstance(one, RankingKey) and one.session == key))
        self.query_vectors.forget(lambda _: True)

    def use(self) -> dict[str, CacheUse]:
        """Returns how often each cache helped, by its name."""
        return {
            "queries": self.rankings.use,
            "query_vectors": self.query_vectors.use,
            "prepared_epochs": self.prepared_epochs.use,
        }
