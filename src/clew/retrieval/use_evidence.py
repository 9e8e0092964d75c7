"""Evidence that a reply used a retrieved unit: it cites the unit's id, or takes up what only the unit says.

Only what the assistant writes and calls counts. Words that stand anywhere else in the prompt are no evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from clew.domain import Message, RetrievedUnit
from clew.retrieval.words import whole_word
from clew.text.memo import remember
from clew.text.telling_tokens import WORD, telling_tokens

#: What a plain word tells, a name or a longer number, and a number that texts share by chance.
_PLAIN, _TELLING, _LITTLE = 1.0, 3.0, 0.2
#: The share of it that a plain word tells in a session with tools.
_AT_WORK = 1 / 3
#: How many words of a reply ask for one more plain word: the more it has, the more of them it shares by chance. A name
#: is always enough.
_MANY_WORDS = 30
#: Digits that two texts may share by chance, zeros at the end aside.
_CHANCE_DIGITS = 2
#: What more units than this have in common tells of none of them.
_SHARED = 3
#: A plain word that more messages have is no rare one: the unit and the reply have it, and hardly another.
_FEW = 4
#: How much is read of a reply and of a unit.
_MAX_CHARS = 20_000
#: Names that are kept with a judgement.
_TOLD = 3
_RUN = re.compile(r"\w+(?:[.-]\w+)*")
_WORDLIKE = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)+|[A-Z]+|(?:[A-Za-z]\.)+[A-Za-z]?")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)

#: Returns those of some words that nothing else in the prompt has, each with how many messages of the session have it.
FindNew = Callable[[Set[str]], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a unit counts as used: ``cited``, or ``names`` that were taken up in the words or in a call's arguments."""

    by: str
    names: tuple[str, ...] = ()


def reply_text(message: Message) -> str:
    """Returns what an assistant writes in a message: its words, and the arguments of its calls."""
    return "\n".join([message.text, *(text for call in message.calls for text in _strings(call.arguments))])


def find_evidence(
    reply: Message, units: Sequence[RetrievedUnit], find_new: FindNew, *, is_talk: bool = True
) -> dict[str, Evidence]:
    """Returns the units that a reply shows to have been used, by id. Where it is no talk but work with tools, plain
    words tell little: every report of work has the same ones.
    """
    found = {unit.id: Evidence("cited") for unit in units if cites(reply, unit.id)}
    said = _telling(reply_text(reply)[:_MAX_CHARS])
    held = {unit.id: _held_words(unit, said) for unit in units if unit.id not in found}
    wanted = {word for words in held.values() for word in words}
    common = {word for word in wanted if sum(word in words for words in held.values()) > _SHARED}
    enough = min(max(len(said) / _MANY_WORDS, _PLAIN), _TELLING)
    new = find_new(wanted - common) if wanted - common else {}
    for id, words in held.items():
        told = {word: _worth(said[word], new[word], is_talk=is_talk) for word in words if word in new}
        if sum(told.values()) >= enough:
            best = sorted(told, key=lambda word: (-told[word], word))
            found[id] = Evidence("names", tuple(best[:_TOLD]))
    return found


def _worth(weight: float, messages: int, *, is_talk: bool) -> float:
    """What a word tells that so many messages have: a plain one something only while it is rare."""
    if weight > _PLAIN:
        return weight
    return 0.0 if messages > _FEW else weight if is_talk else weight * _AT_WORK


def cites(reply: Message, id: str) -> bool:
    """Whether a reply names an id: in its words outside of code, or as an argument of a call."""
    if any(id == text for call in reply.calls for text in _strings(call.arguments)):
        return True
    if id not in (text := reply.text):
        return False
    return bool(re.search(rf"(?<![\w.#/@–-]){re.escape(id)}(?![\w#@]|[.–-]\d)", _FENCE.sub("", text)))


def _held_words(unit: RetrievedUnit, said: Mapping[str, float]) -> set[str]:
    return said.keys() & {whole_word(run) for run in set(_RUN.findall(unit.text[:_MAX_CHARS]))}


def _telling(text: str) -> dict[str, float]:
    """The words of a text that tell anything, as the index has them, and what each tells."""
    found: dict[str, float] = {}
    for run in set(_RUN.findall(text)):
        if weight := _weight(run):
            found[whole_word(run)] = weight
    return found


@remember(1 << 14)
def _weight(run: str) -> float:
    """What a run of letters and digits tells. Short and round numbers are said by chance."""
    told = max(telling_tokens(run).values(), default=0.0)
    digits = run.strip("v.,").replace(".", "").replace(",", "")
    if digits.isdigit():
        return _TELLING if len(digits.rstrip("0")) > _CHANCE_DIGITS else _LITTLE
    if told > WORD:  # what has only dashes in it, or only capitals, is a word like others
        return _PLAIN if _WORDLIKE.fullmatch(run) else _TELLING
    return min(told, _PLAIN)


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
