"""The index of words of one session, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection

from clew.ports import Holders
from clew.storage.taking import taken_words

_NOTHING: frozenset[str] = frozenset()


class WordTable:
    """Which messages hold a word, and which words a message holds."""

    __slots__ = ("_held", "_holders")

    def __init__(self) -> None:
        self._held: dict[int, frozenset[str]] = {}
        self._holders: dict[str, set[int]] = {}

    def put(self, number: int, words: Collection[str] | None) -> Callable[[], object]:
        """Sets a message's words; returns what takes it back."""
        before = self._held.get(number, _NOTHING)
        self._set(number, frozenset(words or ()))
        return lambda: self._set(number, before)

    def _set(self, number: int, words: frozenset[str]) -> None:
        before = self._held.pop(number, _NOTHING)
        for word in before - words:
            self._holders[word].discard(number)
        for word in words - before:
            self._holders.setdefault(word, set()).add(number)
        if words:
            self._held[number] = words

    def find(self, words: Collection[str], limit: int) -> list[Holders]:
        counted = ((len(self._holders.get(word, ())), word) for word in dict.fromkeys(words))
        held = sorted((total, word) for total, word in counted if total)
        found: set[int] = set()
        for word in taken_words(held, limit):
            found.update(sorted(self._holders[word])[-limit:])
        return [Holders(word, total, tuple(sorted(self._holders[word] & found))) for total, word in held]


__all__ = ["WordTable"]
