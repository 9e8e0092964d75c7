"""Sessions with digests: messages recorded one by one, and the reader of what was drawn from them."""

from __future__ import annotations

from collections.abc import Sequence

import clew
from clew.digests.reader import DigestReader
from clew.domain import Message


def reader(session: clew.Session) -> DigestReader:
    return session.reader.digests()


def record(session: clew.Session, messages: Sequence[Message]) -> None:
    for message in messages:
        session.record([message])


def plain(messages: Sequence[Message]) -> list[Message]:
    return [Message(role=one.role, origin=one.origin, parts=one.parts) for one in messages]
