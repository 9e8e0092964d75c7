"""The index of words, kept up to date as a session grows. It holds what the prompt view holds: newest versions, and
nothing that was rolled back. System prompts are sent in any case, so nobody has to find them.

Rows: ``size/``, ``mark/`` and ``at/`` and a number of thousand lead to the sizes, marks and times of so many messages,
``labels`` to the names that marks refer to, ``held/`` and a message's number to its words, while it may still grow.

Searches of Clew's own that an assistant made: the call that asks, and the answer, which says again what stands
elsewhere in the session. Neither is ever a result.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from clew.domain import Call, Message, Origin, Output, Part, Role, Text
from clew.history.fold import is_sendable
from clew.history.overview import OverviewProjection
from clew.ports import WORDS, LedgerEvent, MessageChange, Rollback, Rows
from clew.retrieval.fusion import LABEL_BITS, PERSON, QUESTION
from clew.text.speech import speech_head

#: Tools that hand out parts of a session or of knowledge; clients put the server's name before theirs.
READING_TOOLS = ("search_context", "retrieve_context", "search_knowledge")
#: The command in a shell, alone or among others.
_COMMAND = re.compile(r"(?:^|[;&|(\n]|-l?c[\"', ]+)\s*(?:\w+=\S*\s+)*(?:[\w./~-]*/)?clew\s+search\b")
_COMMAND_CHARS = 2_000
SIZES, MARKS, TIMES, HELD, LABELS = "size/", "mark/", "at/", "held/", "labels"
#: How many messages share a row of sizes.
SHARED = 1024
#: What is read of one message's text and of a call's arguments, in characters. Outputs are read whole.
TEXT_CHARS, CALL_CHARS = 20_000, 2_000
#: Most words by which one message is found. One with more than ``MAX_SIZE`` ranks as if it had so many: a log must not
#: make all others look short.
MAX_WORDS, MAX_SIZE = 500_000, 1_000
#: A question of fewer words asks, and tells nothing.
_SHORT_WORDS = 40
#: Names before what somebody says, as in transcripts of several people: so many are told apart.
_MAX_LABELS = 200
#: Searches of Clew's own whose answers may still come.
_MOST_ASKED = 64
#: A message that so many newer ones have followed is found by the words it had until then.
MAY_GROW = 200


class WordIndexProjection:
    name = WORDS
    version = 5
    keeps_ids = False

    def apply(self, state: Any, changes: Iterable[LedgerEvent], rows: Rows) -> Any:
        known = state or {"newest": 0, "asked": []}
        index = _Index(rows, newest=known["newest"], asked=known["asked"])
        for change in changes:
            if isinstance(change, MessageChange):
                index.add(change)
            elif isinstance(change, Rollback):
                index.rolled_back = True
        index.save()
        return {"newest": index.newest, "asked": index.asked[-_MOST_ASKED:]}


class _Index:
    """What one run changes: words by message, None for a message that can no longer be found."""

    def __init__(self, rows: Rows, *, newest: int, asked: list[str]) -> None:
        self._rows, self.newest, self.asked, self.rolled_back = rows, newest, asked, False
        self._before = newest
        self._changed: dict[int, list[str] | None] = {}
        self._marks: dict[int, int] = {}
        self._times: dict[int, int] = {}
        self._labels: list[str] | None = None

    def add(self, change: MessageChange) -> None:
        number, message = change.number, change.message
        self.newest = max(self.newest, number)
        if change.replaces:
            self._changed[change.replaces] = None
        # One that begins without a part may get some yet.
        if message.role is Role.SYSTEM or (message.parts and not is_sendable(message)):
            return
        self.asked = [*self.asked, *own_searches(message)]
        words = message_words(without_searches(message, self.asked))
        if not change.grows:
            self._marks[number] = self._mark(message, words)
            self._times[number] = int(said_at(message))
        if change.grows:
            known = self._known_words(number)
            if known is None:
                return
            words = list(dict.fromkeys((*known, *words)))
        self._changed[number] = words[:MAX_WORDS]

    def _mark(self, message: Message, words: list[str]) -> int:
        is_person = message.role is Role.USER and message.origin is Origin.PERSON
        is_question = len(words) < _SHORT_WORDS and message.text.rstrip().endswith("?")
        label = label_of(message.text)
        return PERSON * is_person | QUESTION * is_question | (self._label(label) << LABEL_BITS if label else 0)

    def _label(self, name: str) -> int:
        """The number of a label, from 1 on; 0 for one of too many."""
        if self._labels is None:
            self._labels = list(self._rows.get(LABELS) or [])
        if name not in self._labels and len(self._labels) < _MAX_LABELS:
            self._labels.append(name)
            self._rows.put(LABELS, self._labels)
        return self._labels.index(name) + 1 if name in self._labels else 0

    def _known_words(self, number: int) -> list[str] | None:
        """The words of a message so far; None when it is out of sight, or too old to grow."""
        if number <= self.newest - MAY_GROW:
            return None
        if number in self._changed:
            return self._changed[number]
        held = self._rows.get(_row_name(number))
        return None if held is None else held.split()

    def save(self) -> None:
        if self.rolled_back:
            left = (int(name) for name, row in self._rows.of(OverviewProjection.name).scan("0") if row.get("left"))
            self._changed |= dict.fromkeys(left)
        if not self._changed:
            return
        self._rows.put_words(self._changed)
        self._save_figures(SIZES, {number: min(len(words or ()), MAX_SIZE) for number, words in self._changed.items()})
        self._save_figures(MARKS, {number: mark for number, mark in self._marks.items() if mark})
        self._save_figures(TIMES, {number: at for number, at in self._times.items() if at})
        self._save_held()

    def _save_figures(self, prefix: str, figures: Mapping[int, int]) -> None:
        rows: dict[str, list[int]] = {}
        for number, figure in figures.items():
            name, at = f"{prefix}{number // SHARED:06d}", number % SHARED
            row = rows.setdefault(name, rows.get(name) or self._rows.get(name) or [])
            row += [0] * (at + 1 - len(row))
            row[at] = figure
        for name, row in rows.items():
            self._rows.put(name, row)

    def _save_held(self) -> None:
        oldest = max(self.newest - MAY_GROW + 1, 0)
        for number in range(max(self._before - MAY_GROW + 1, 0), oldest):
            self._rows.remove(_row_name(number))
        for number, words in self._changed.items():
            if words is None:
                self._rows.remove(_row_name(number))
            elif number >= oldest:
                self._rows.put(_row_name(number), " ".join(words))


def _row_name(number: int) -> str:
    return f"{HELD}{number:09d}"


def message_words(message: Message) -> list[str]:
    """What a message can be found by: its text, its calls, and its outputs."""
    from clew.retrieval.words import words_of

    return words_of(indexed_text(message))


def indexed_text(message: Message) -> str:
    """What is read of a message for the index: its text, its calls, and its outputs."""
    return "\n".join(text for part in message.parts for text in _texts(part))


def _texts(part: Part) -> Iterator[str]:
    match part:
        case Text():
            yield part.text[:TEXT_CHARS]
        case Call():
            yield part.name
            yield from _strings(part.arguments, CALL_CHARS)
        case Output():
            yield part.text


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


def label_of(text: str) -> str:
    """The name before what is said, in small letters; empty where there is none."""
    return speech_head(text).speaker.casefold()


def without_label(text: str) -> str:
    """What is said, without the time and the name before it."""
    return text[speech_head(text).end :]


def said_at(message: Message) -> float:
    """When something was said, in seconds since 1970: as its own head has it, or when it was recorded; 0 if unknown."""
    return speech_head(message.text).at or message.at or 0.0


def figures_in(rows: Iterable[tuple[str, list[int]]]) -> list[int]:
    """Stored figures as one list: a message's stands at its number."""
    figures: list[int] = []
    for name, part in rows:
        figures += [0] * (int(name.partition("/")[2]) * SHARED - len(figures))
        figures += part
    return figures


def own_searches(message: Message) -> list[str]:
    """Returns the ids of the calls in a message that search."""
    return [call.id for call in message.calls if _is_search(call)]


def without_searches(message: Message, asked: Collection[str]) -> Message:
    """Returns a message without calls that search, and without the answers to those that were ``asked`` before."""
    if not message.calls and not (asked and message.outputs):
        return message
    kept = tuple(
        part
        for part in message.parts
        if not (isinstance(part, Call) and _is_search(part))
        and not (isinstance(part, Output) and part.call_id in asked)
    )
    return message if len(kept) == len(message.parts) else replace(message, parts=kept)


def _is_search(call: Call) -> bool:
    if call.name.endswith(READING_TOOLS):
        return True
    arguments = call.arguments
    command = (arguments.get("command") or arguments.get("cmd")) if isinstance(arguments, dict) else None
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return isinstance(command, str) and "clew" in command and bool(_COMMAND.search(command[:_COMMAND_CHARS]))
