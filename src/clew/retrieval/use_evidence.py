"""Evidence that a reply used a retrieved unit: it cites the unit's id, or takes up what only the unit says.

Only what the assistant writes and calls counts. Words that stand anywhere else in the prompt are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from clew.domain import Message, RetrievedUnit
from clew.retrieval.words import words_of
from clew.text.memo import remember
from clew.text.telling_tokens import NAME, WORD, telling_tokens

#: What the words that a reply takes up have to tell together: one name, or several plain words.
_ENOUGH = NAME
#: What a plain word tells: it takes four to be no accident.
_PLAIN = 0.5
#: What more units than this have in common tells of none of them.
_SHARED = 3
#: How much is read of a reply and of a unit.
_MAX_CHARS = 20_000
#: Names that are kept with a judgement.
_TOLD = 3
_RUN = re.compile(r"\w+(?:[.-]\w+)*")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)

#: Returns those of some words that tell nothing, because the rest of the prompt has them.
FindKnown = Callable[[Collection[str]], set[str]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a unit counts as used: ``cited``, or ``names`` that were taken up in the words or in a call's arguments."""

    by: str
    names: tuple[str, ...] = ()


def reply_text(message: Message) -> str:
    """Returns what an assistant writes in a message: its words, and the arguments of its calls."""
    return "\n".join([message.text, *(text for call in message.calls for text in _strings(call.arguments))])


def find_evidence(reply: Message, units: Sequence[RetrievedUnit], find_known: FindKnown) -> dict[str, Evidence]:
    """Returns the units that a reply shows to have been used, by id."""
    found = {unit.id: Evidence("cited") for unit in units if cites(reply, unit.id)}
    said = _telling(reply_text(reply)[:_MAX_CHARS])
    held = {unit.id: _held(unit, said) for unit in units if unit.id not in found}
    wanted = {word for words in held.values() for word in words}
    common = {word for word in wanted if sum(word in words for words in held.values()) > _SHARED}
    known = find_known(wanted - common) | common if wanted - common else wanted
    for id, words in held.items():
        told = {word: said[word] for word in words if word not in known}
        if sum(told.values()) >= _ENOUGH:
            best = sorted(told, key=lambda word: (-told[word], word))
            found[id] = Evidence("names", tuple(best[:_TOLD]))
    return found


def cites(reply: Message, id: str) -> bool:
    """Whether a reply names an id: in its words outside of code, or as an argument of a call."""
    pattern = re.compile(rf"(?<![\w.#/@–-]){re.escape(id)}(?![\w#@]|[.–-]\d)")
    if id in reply.text and pattern.search(_FENCE.sub("", reply.text)):
        return True
    return any(id == text for call in reply.calls for text in _strings(call.arguments))


def _held(unit: RetrievedUnit, said: Mapping[str, float]) -> set[str]:
    return said.keys() & {_index_word(run) for run in set(_RUN.findall(unit.text[:_MAX_CHARS]))}


def _telling(text: str) -> dict[str, float]:
    """The words of a text that tell anything, as the index has them, and what each tells."""
    found: dict[str, float] = {}
    for run in set(_RUN.findall(text)):
        if weight := _weight(run):
            found[_index_word(run)] = weight
    return found


@remember(1 << 14)
def _weight(run: str) -> float:
    told = max(telling_tokens(run).values(), default=0.0)
    return min(told, _PLAIN) if told <= WORD else told


@remember(1 << 15)
def _index_word(run: str) -> str:
    return next(iter(words_of(run)), "")


def _strings(value: Any) -> Iterable[str]:
    """The texts in a call's arguments, without their names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
