"""Whether a message can be understood by itself, or only together with the one before it."""

from __future__ import annotations

import re

from clew.domain import Message
from clew.retrieval.bm25 import SELF_CONTAINED
from clew.retrieval.projection import without_label

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
