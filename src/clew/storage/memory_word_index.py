"""The index of words of one session, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection

from clew.ports import Postings
from clew.storage.word_selection import select_rare_words

_NOTHING: frozenset[str] = frozenset()


class MemoryWordIndex:
    """Which messages hold a word, and which words a message holds."""

    __slots__ = ("_messages_by_word", "_words_by_message")

    def __init__(self) -> None:
        self._words_by_message: dict[int, frozenset[str]] = {}
        self._messages_by_word: dict[str, set[int]] = {}

    def put(self, number: int, words: Collection[str] | None) -> Callable[[], object]:
        """Sets a message's words; returns what takes it back."""
        before = self._words_by_message.get(number, _NOTHING)
        self._set(number, frozenset(words or ()))
        return lambda: self._set(number, before)

    def _set(self, number: int, words: frozenset[str]) -> None:
        before = self._words_by_message.pop(number, _NOTHING)
        for word in before - words:
            self._messages_by_word[word].discard(number)
        for word in words - before:
            self._messages_by_word.setdefault(word, set()).add(number)
        if words:
            self._words_by_message[number] = words

    def find(self, words: Collection[str], limit: int) -> list[Postings]:
        counted = ((len(self._messages_by_word.get(word, ())), word) for word in dict.fromkeys(words))
        held = sorted((total, word) for total, word in counted if total)
        found: set[int] = set()
        for word in select_rare_words(held, limit):
            found.update(sorted(self._messages_by_word[word])[-limit:])
        if held and len(held) == len(set(words)):
            found.update(sorted(set.intersection(*(self._messages_by_word[word] for _, word in held)))[-limit:])
        return [Postings(word, total, tuple(sorted(self._messages_by_word[word] & found))) for total, word in held]


__all__ = ["MemoryWordIndex"]
