"""Results remembered by the texts they were worked out from, and the one call that forgets them all.

Texts of users stay in memory for as long as such a cache holds them. Every cache that is keyed by what users wrote is
made here, so that a purge reaches it; caches keyed by constants and settings need not be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
K = TypeVar("K")
T = TypeVar("T")

_forget: list[Callable[[], None]] = []


def remember(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keeps a pure function's latest results, at most so many: ``functools.lru_cache``, emptied by ``forget_all``."""

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        cached = lru_cache(maxsize=maxsize)(function)
        _forget.append(cached.cache_clear)
        return cast("Callable[P, T]", cached)

    return wrap


def remember_until_full(maxsize: int, *, longest: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keeps a pure function's results by text, for functions that are asked hundreds of thousands of times a second:
    half as much work a call as ``remember``. Texts of more than ``longest`` characters are worked out each time. When
    it is full it begins anew; emptied by ``forget_all``.
    """

    def wrap(function: Callable[[str], T]) -> Callable[[str], T]:
        known: _Table[T] = _Table(function, maxsize, longest)
        _forget.append(known.clear)
        return known.__getitem__

    return wrap


class _Table(dict[str, T]):
    """Results by text; one that is not there is worked out."""

    def __init__(self, function: Callable[[str], T], maxsize: int, longest: int) -> None:
        self._function, self._maxsize, self._longest = function, maxsize, longest

    def __missing__(self, text: str) -> T:
        found = self._function(text)
        if len(text) <= self._longest:
            if len(self) >= self._maxsize:
                self.clear()
            self[text] = found
        return found


def remember_by_object(maxsize: int) -> Callable[[Callable[[K], T]], Callable[[K], T]]:
    """Keeps a pure function's results by the very object they were worked out from, for values that never change and
    take long to compare. When it is full it begins anew; emptied by ``forget_all``.
    """

    def wrap(function: Callable[[K], T]) -> Callable[[K], T]:
        known: dict[int, tuple[K, T]] = empty_table()

        @wraps(function)
        def look_up(value: K) -> T:
            remembered = known.get(id(value))
            if remembered is None or remembered[0] is not value:
                if len(known) >= maxsize:
                    known.clear()
                remembered = known[id(value)] = (value, function(value))
            return remembered[1]

        return look_up

    return wrap


def remember_latest(maxsize: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keeps a pure function's latest results by arguments that are equal, for those that have no hash: whole lists, of
    which most items are the very objects of the last time. Emptied by ``forget_all``.
    """

    def wrap(function: Callable[P, T]) -> Callable[P, T]:
        known: list[tuple[object, T]] = []
        _forget.append(known.clear)

        @wraps(function)
        def look_up(*args: P.args, **options: P.kwargs) -> T:
            asked = (args, options)
            for pair in tuple(known):
                if pair[0] == asked:
                    return pair[1]
            result = function(*args, **options)
            known[:] = [(asked, result), *known[: maxsize - 1]]
            return result

        return look_up

    return wrap


def empty_table() -> dict[K, T]:
    """Returns a table of what is known of texts, emptied by ``forget_all``. Whoever fills it sees to its size."""
    table: dict[K, T] = {}
    _forget.append(table.clear)
    return table


def forget_all() -> None:
    """Empties every cache that was made here; results are worked out anew when they are next asked for."""
    for forget in _forget:
        forget()
