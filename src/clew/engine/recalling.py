"""Reading any part back by its id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from clew.digests.reading import Digested
from clew.domain import Digest, Fact, Message, Segment
from clew.engine.watching import Watching
from clew.errors import NotFound, UsageError
from clew.history.transcript import as_text

if TYPE_CHECKING:
    from clew.engine.session import Session

_MESSAGE = re.compile(r"m(\d{1,9})(?:@(\d{1,4}))?")
_SEGMENT = re.compile(r"x(\d{1,7})(?:\.(\d{1,5}))?")
_SPAN = re.compile(r"(x[\d.]{1,13})[–-](x[\d.]{1,13})")
_PIN = re.compile(r"p\d{1,6}")
_BLOB = re.compile(r"b([0-9a-f]{12,64})")


@dataclass(frozen=True, slots=True)
class Item:
    """A part that was asked for, and the messages it stands in."""

    id: str
    format: str
    text: str
    tokens: int
    messages: tuple[str, ...] = ()


FORMATS = ("full", "summary", "header", "digest")


def recall(session: Session, ids: Sequence[str], format: str) -> list[Item]:
    """Each id at the size asked for; messages and blobs have one size, the whole."""
    if format not in FORMATS:
        raise UsageError(f"cannot recall as {format!r}; there are {', '.join(FORMATS)}")
    return [_one(session, id) if format == "full" else _sized(session, id, format) for id in ids]


def _sized(session: Session, id: str, format: str) -> Item:
    if _SEGMENT.fullmatch(id) is None:
        return _one(session, id)
    parts = _parts(session, id)
    digested = session.digested()
    text = "\n".join(told for one in parts if (told := _told(digested, one.id, format)))
    ids = tuple(f"m{number}" for number in range(parts[0].first, parts[-1].last + 1))
    return Item(id, format, text, session.engine.count(text), ids)


def _told(digested: Digested, id: str, format: str) -> str:
    if format == "digest":
        digest = digested.digest(id)
        return rendered(digest) if digest else ""
    trio = digested.trio(id)
    if trio is None:
        return ""
    return f"{trio.header.id} {trio.header.line}" if format == "header" else trio.summary.text


def rendered(digest: Digest) -> str:
    """A digest's facts, a line each, with the message each comes from."""
    lines = [f"{digest.id}"]
    for one in fields(digest):
        value = getattr(digest, one.name)
        if isinstance(value, tuple) and value and isinstance(value[0], Fact):
            lines += [f"  {one.name}: {fact.text} ({fact.source})" for fact in value]
        elif isinstance(value, Fact):
            lines.append(f"  {one.name}: {value.text} ({value.source})")
    return "\n".join(lines)


def _one(session: Session, id: str) -> Item:
    if match := _MESSAGE.fullmatch(id):
        return _message(session, id, int(match[1]), int(match[2] or 0))
    if _SEGMENT.fullmatch(id):
        return _segments(session, id)
    if match := _SPAN.fullmatch(id):
        return _span(session, id, _parts(session, match[1])[0], _parts(session, match[2])[-1])
    if match := _BLOB.fullmatch(id):
        return _blob(session, id, match[1])
    if _PIN.fullmatch(id):
        return _pin(session, id)
    raise NotFound(f"{id} is no id: messages are m12, exchanges x7, segments x7.2, pins p3, blobs b and 12 hex digits")


def _pin(session: Session, id: str) -> Item:
    """A critical item, also one that is no longer in force."""
    item = Watching(session).item(id)
    source = (item.source,) if item.source else ()
    return Item(id, "full", item.text, session.engine.count(item.text), source)


def _message(session: Session, id: str, number: int, version: int) -> Item:
    """m5 is its newest version; m5@1 the first, m5@2 the second."""
    info = session.info
    if not 1 <= number <= info.messages:
        raise NotFound(f"no message {id} in session {session.id}; it has m1 to m{info.messages}")
    versions = session.versions(number)
    if version > len(versions):
        raise NotFound(f"m{number} has {len(versions)} version(s); there is no {id}")
    chosen = versions[version - 1] if version else versions[-1]
    return _item(session, id, session.read_range(chosen, chosen))


def _segments(session: Session, id: str) -> Item:
    found = _parts(session, id)
    return _span(session, id, found[0], found[-1])


def _span(session: Session, id: str, first: Segment, last: Segment) -> Item:
    return _item(session, id, session.read_newest(first.first, last.last))


def _parts(session: Session, id: str) -> list[Segment]:
    """The segments that an id names: one, or all of an exchange."""
    match = _SEGMENT.fullmatch(id)
    exchange, part = (int(match[1]), int(match[2] or 0)) if match else (-1, 0)
    found = [one for one in session.segments() if one.exchange == exchange and part in (0, one.part)]
    if not found:
        raise NotFound(f"no {id} in session {session.id}; {_known_exchanges(session)}")
    return found


def _known_exchanges(session: Session) -> str:
    known: list[Segment] = session.segments()
    return f"it has {known[0].exchange_id} to {known[-1].exchange_id}" if known else "it has no exchanges"


def _blob(session: Session, id: str, prefix: str) -> Item:
    digests = session.engine.store.find_blobs(session.info.key, prefix)
    if not digests:
        raise NotFound(f"no blob {id} in session {session.id}")
    if len(digests) > 1:
        raise UsageError(f"{id} is ambiguous: {', '.join('b' + digest[:20] for digest in digests)}")
    content = session.engine.store.blobs(session.info.key, digests)[digests[0]]
    text = content.decode("utf-8", "replace")
    return Item(id, "full", text, session.engine.count(text))


def _item(session: Session, id: str, messages: Sequence[Message]) -> Item:
    """Tokens are those counted when the messages were recorded: no table has to be loaded to read."""
    ids = tuple(message.id for message in messages)
    return Item(id, "full", as_text(messages), session.tokens_of(int(one[1:]) for one in ids), ids)
