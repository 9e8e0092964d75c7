"""Caches that count, and forget."""

from __future__ import annotations

import pytest

from clew.retrieval.search_cache import CacheUse, CountedCache


def test_what_was_made_once_is_not_made_again_and_both_are_counted() -> None:
    cache, made = CountedCache[int](2), list[int]()

    def make(value: int) -> int:
        made.append(value)
        return value

    assert [cache.get(key, lambda key=key: make(key)) for key in (1, 1, 2, 3, 1)] == [1, 1, 2, 3, 1]  # type: ignore[misc]
    assert made == [1, 2, 3, 1]
    assert (cache.use, cache.use.rate) == (CacheUse(1, 4), 0.2)


def test_what_fails_is_not_kept_and_what_is_gone_is_forgotten() -> None:
    cache = CountedCache[int](2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 1) == 1
    cache.forget(lambda key: key == "a")
    assert cache.get("a", lambda: 2) == 2
    assert CacheUse().rate == 0.0
