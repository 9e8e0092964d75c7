"""Replies of an agent that the person who read them objected to or doubted: what they say may have been wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.domain import Call, Message, Role
from clew.history.person_words import StatementKind, person_statements

_OBJECTS = re.compile(
    r"(?i)\W*(?:no\b|nope|but\b|wait\b|hmm|are you sure|that'?s (?:not|wrong)|(?:that|this) is (?:not|wrong)"
    r"|it'?s not|not (?:quite|really|sure|true)|i don'?t (?:think|want|like|believe|understand)|why\b|actually\b"
    r"|is (?:it|that|this) (?:really|true)|don'?t\b|stop\b|you (?:are|'re) wrong|still\b|what about|isn'?t\b|doesn'?t\b"
    r"|again\b|same (?:error|problem|issue)|shouldn'?t\b|i still)"
    r"|.{0,200}\b(?:doesn'?t|does not|didn'?t) (?:work|help|make sense)\b"
)


def contested_replies(messages: Sequence[Message]) -> frozenset[int]:
    """Returns the numbers of replies, all steps since the request before them, to which a person objected next."""
    contested: set[int] = set()
    since: list[int] = []
    calls: dict[str, Call] = {}
    for message in messages:
        statements = list(person_statements(message, calls))
        if any(_OBJECTS.match(one.text) for one in statements if one.kind is not StatementKind.ANSWER):
            contested.update(since)
        if any(one.is_message for one in statements):
            since = []
        if message.role is Role.ASSISTANT:
            since.append(message.number)
        calls.update((call.id, call) for call in message.calls)
    return frozenset(contested)
