"""The index of words, kept up to date as a session grows. It holds what the prompt view holds: newest versions, and
nothing that was rolled back. System prompts are sent in any case, so nobody has to find them.

Rows: ``size/`` and a number of thousand lead to the sizes of so many messages, ``held/`` and a message's number to
its words, while it may still grow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from clew.domain import Call, Message, Output, Part, Role, Text
from clew.history.fold import is_sendable
from clew.history.overview import OverviewProjection
from clew.ports import WORDS, LedgerEvent, MessageChange, Rollback, Rows

SIZES, HELD = "size/", "held/"
#: How many messages share a row of sizes.
SHARED = 1024
#: What is read of one message's text, of a call's arguments, and of an output's beginning and end, in characters.
TEXT_CHARS, CALL_CHARS, HEAD_CHARS, TAIL_CHARS = 20_000, 2_000, 1_500, 500
MAX_WORDS = 1_000
#: A message that so many newer ones have followed is found by the words it had until then.
MAY_GROW = 200


class WordIndexProjection:
    name = WORDS
    version = 1
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        index = _Index(rows, newest=state or 0)
        for change in changes:
            if isinstance(change, MessageChange):
                index.add(change)
            elif isinstance(change, Rollback):
                index.rolled_back = True
        index.save()
        return index.newest


class _Index:
    """What one run changes: words by message, None for a message that can no longer be found."""

    def __init__(self, rows: Rows, *, newest: int) -> None:
        self._rows, self.newest, self.rolled_back = rows, newest, False
        self._changed: dict[int, list[str] | None] = {}

    def add(self, change: MessageChange) -> None:
        number, message = change.number, change.message
        self.newest = max(self.newest, number)
        if change.replaces:
            self._changed[change.replaces] = None
        # One that begins without a part may get some yet.
        if message.role is Role.SYSTEM or (message.parts and not is_sendable(message)):
            return
        words = message_words(message)
        if change.grows:
            known = self._known(number)
            if known is None:
                return
            words = list(dict.fromkeys((*known, *words)))
        self._changed[number] = words[:MAX_WORDS]

    def _known(self, number: int) -> list[str] | None:
        """The words of a message so far; None when it is out of sight, or too old to grow."""
        if number <= self.newest - MAY_GROW:
            return None
        if number in self._changed:
            return self._changed[number]
        held = self._rows.get(_held(number))
        return None if held is None else held.split()

    def save(self) -> None:
        if self.rolled_back:
            left = (int(name) for name, row in self._rows.of(OverviewProjection.name).scan("0") if row.get("left"))
            self._changed |= dict.fromkeys(left)
        if not self._changed:
            return
        self._rows.put_words(self._changed)
        self._save_sizes()
        self._save_held()

    def _save_sizes(self) -> None:
        rows: dict[str, list[int]] = {}
        for number, words in self._changed.items():
            name, at = f"{SIZES}{number // SHARED:06d}", number % SHARED
            sizes = rows.setdefault(name, rows.get(name) or self._rows.get(name) or [])
            sizes += [0] * (at + 1 - len(sizes))
            sizes[at] = len(words or ())
        for name, sizes in rows.items():
            self._rows.put(name, sizes)

    def _save_held(self) -> None:
        oldest = max(self.newest - MAY_GROW + 1, 0)
        for name, _ in self._rows.scan(HELD, _held(oldest)):
            self._rows.remove(name)
        for number, words in self._changed.items():
            if words is None:
                self._rows.remove(_held(number))
            elif number >= oldest:
                self._rows.put(_held(number), " ".join(words))


def _held(number: int) -> str:
    return f"{HELD}{number:09d}"


def message_words(message: Message) -> list[str]:
    """What a message can be found by: its text, its calls, and the beginning and end of its outputs."""
    from clew.retrieval.words import words_of

    return words_of("\n".join(text for part in message.parts for text in _texts(part)))


def _texts(part: Part) -> Iterator[str]:
    match part:
        case Text():
            yield part.text[:TEXT_CHARS]
        case Call():
            yield part.name
            yield from _strings(part.arguments, CALL_CHARS)
        case Output():
            text = part.text
            yield text[:HEAD_CHARS]
            yield text[max(HEAD_CHARS, len(text) - TAIL_CHARS) :]


def _strings(value: Any, room: int) -> list[str]:
    """The texts in a call's arguments, without the arguments' names, in order, until the room is taken."""
    found: list[str] = []
    waiting = [value]
    while waiting and room > 0:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, str):
            found.append(value[:room])
            room -= len(found[-1]) + 1
    return found


def sizes_of(rows: Iterable[tuple[str, list[int]]]) -> list[int]:
    """The stored sizes as one list: a message's stands at its number."""
    sizes: list[int] = []
    for name, part in rows:
        sizes += [0] * (int(name.removeprefix(SIZES)) * SHARED - len(sizes))
        sizes += part
    return sizes
