"""Messages beside others: whether one can be understood without the one before it, and which say the same.

A file is read again, an error comes back. People and models are taken at their word: theirs is the same only when all
its words are. Outputs of tools are the same when nearly all words at their beginnings and ends are, for times and
counts differ from run to run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clew.domain import Message
from clew.retrieval.bm25 import SELF_CONTAINED
from clew.retrieval.projection import without_label
from clew.retrieval.words import words_of

#: The share of all words of two outputs that both hold.
_ALIKE = 0.8
#: What is compared of an output's beginning and end, in characters.
_HEAD_CHARS, _TAIL_CHARS = 1_500, 500
#: A message of fewer words says too little by itself; an answer of fewer takes what it means from its question.
_FEW_WORDS, _ANSWER_WORDS = 5, 25
#: What a message begins with that goes on from the one before it.
_GOES_ON = re.compile(
    r"\W*(?:it|its|it['’]s|that|that['’]s|this|those|these|they|they['’]re|them|he|she|both|neither|either|same|so"
    r"|yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|exactly|right|correct|agreed"
    r"|the (?:first|second|third|last|other|same)(?: one)?)\b",
    re.IGNORECASE,
)
#: No word is taken to be longer.
_WORD_CHARS = 20
_QUESTION_ENDS = ("?", "？", "؟")
#: A question stands at the end of what is said.
_END_CHARS = 200


def needs_message_before(message: Message, before: Message) -> bool:
    """Whether a message says too little without the one before it: it is very short, goes on from it ("it", "yes"), or
    answers its question.
    """
    count = _count(message)
    if is_self_contained(message) or not count:
        return False
    goes_on = message.text and _GOES_ON.match(without_label(message.text))
    return count < _FEW_WORDS or bool(goes_on) or (count < _ANSWER_WORDS and _asks(before))


def is_self_contained(message: Message) -> bool:
    """True for what needs no other message, whichever stands before it: it is long, or calls a tool and says why."""
    return bool(message.calls) or _count(message) >= SELF_CONTAINED


def _count(message: Message) -> int:
    """How many words it says, as far as that matters."""
    return len(without_label(_message_text(message)[: _WORD_CHARS * SELF_CONTAINED]).split())


def _message_text(message: Message) -> str:
    return message.text or "\n".join(output.text for output in message.outputs)


def _asks(message: Message) -> bool:
    return message.text[-_END_CHARS:].rstrip(" \n*_\"')").endswith(_QUESTION_ENDS)


@dataclass(slots=True)
class DistinctMessages:
    """Messages that were seen, each saying something else than all others."""

    _said: dict[str, int] = field(default_factory=dict)
    _outputs: dict[int, frozenset[str]] = field(default_factory=dict)

    def add(self, message: Message) -> int | None:
        """Takes a message in. Returns the number of the one seen before that says the same; None where none does."""
        return self._add_output(message) if message.outputs else self._add_said(message)

    def _add_said(self, message: Message) -> int | None:
        calls = [f"{call.name} {call.arguments}" for call in message.calls]
        first = self._said.setdefault(" ".join("\n".join([message.text, *calls]).split()), message.number)
        return None if first == message.number else first

    def _add_output(self, message: Message) -> int | None:
        ends = (f"{output.text[:_HEAD_CHARS]}\n{output.text[-_TAIL_CHARS:]}" for output in message.outputs)
        words = frozenset(words_of("\n".join(ends)))
        for number, others in self._outputs.items():
            if _is_alike(words, others):
                return number
        self._outputs[message.number] = words
        return None


def _is_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    smaller, larger = sorted((len(words), len(others)))
    return smaller >= _ALIKE * larger and len(words & others) >= _ALIKE * len(words | others)
