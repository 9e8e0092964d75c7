"""Replies of an agent that the person who read them objected to or doubted, which may have been wrong, and replies of
which they took a part: their words tell which.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.domain import Call, Message, Role
from clew.history.person_words import StatementKind, person_statements
from clew.units.pasted_text import own_words

_OBJECTS = re.compile(
    r"(?i)\W*(?:no\b|nope|but\b|wait\b|hmm|are you sure|that'?s (?:not|wrong)|(?:that|this) is (?:not|wrong)"
    r"|it'?s not|not (?:quite|really|sure|true)|i don'?t (?:think|want|like|believe|understand)|why\b|actually\b"
    r"|is (?:it|that|this) (?:really|true)|don'?t\b|stop\b|you (?:are|'re) wrong|still\b|what about|isn'?t\b|doesn'?t\b"
    r"|again\b|same (?:error|problem|issue)|shouldn'?t\b|i still)"
    r"|.{0,200}\b(?:doesn'?t|does not|didn'?t) (?:work|help|make sense)\b"
)

#: Words anywhere in a message by which something is to be otherwise than it was told just before.
_CORRECTS = re.compile(
    r"(?i)\b(?:should(?:n'?t| not)|must(?:n'?t| not)|(?:do|does|did|is|was|are)(?:n'?t| not)\b"
    r"(?! (?:forget|worry|hesitate|need))|revert|undo|wrong|incorrect|not (?:what|correct|right|needed|necessary)"
    r"|instead|rather)\b"
)
#: The beginning of one of several ways that are laid out, and words that ask which of them to take.
_OPTION = re.compile(r"(?im)^\W*(?:option|approach|alternative|choice)\s+([a-h]|\d)\b")
_ASKS_WHICH = re.compile(r"(?i)\bwhich (?:one|option|approach|way|of (?:these|those))\b|\byou(?:'d)? prefer\b")


def contested_replies(messages: Sequence[Message]) -> frozenset[int]:
    """Returns the numbers of replies that a person objected to next: all steps since the request before them where the
    objection comes first, else the last words that they read."""
    contested: set[int] = set()
    since: list[int] = []
    last: Message | None = None
    calls: dict[str, Call] = {}
    for message in messages:
        statements = [
            statement for statement in person_statements(message, calls) if statement.kind is not StatementKind.PLAN
        ]
        own = [
            own_words(statement.text, last.text if last else "")
            for statement in statements
            if statement.kind is not StatementKind.ANSWER
        ]
        if any(map(_OBJECTS.match, own)):
            contested.update(since)
        if last and any(map(_CORRECTS.search, own)):
            contested.add(last.number)
        if any(statement.is_message for statement in statements):
            since, last = [], None
        if message.role is Role.ASSISTANT:
            since.append(message.number)
            last = message if message.text.strip() else last
        calls.update((call.id, call) for call in message.calls)
    return frozenset(contested)


def offered_choices(messages: Sequence[Message]) -> frozenset[int]:
    """Returns the numbers of replies that lay out several ways, or ask which to take, and that a person answered."""
    offered: set[int] = set()
    last: Message | None = None
    for message in messages:
        if last and any(statement.is_message for statement in person_statements(message, {})):
            offered.update([last.number] if _lays_out(last.text) else [])
            last = None
        if message.role is Role.ASSISTANT and message.text.strip():
            last = message
    return frozenset(offered)


def _lays_out(text: str) -> bool:
    return len({name.lower() for name in _OPTION.findall(text)}) > 1 or _ASKS_WHICH.search(text) is not None
