"""The ledger: what was told becomes entries, each told thing once.

Several channels (a file that is followed, hooks, a gateway, a caller) may tell one conversation. A record
is known by its own key, or because every part of its message is known already. A channel that tells the
story from its beginning counts equal parts as it goes: its third "continue" is the third one recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import orjson

from clew.domain import Entry, Kind, Record, SessionInfo, SessionKey
from clew.engine.marks import Marks, Told, channel_code, told
from clew.history import bodies
from clew.history.identity import identities
from clew.history.overview import Overview, row_name
from clew.history.requests import headline, request_words
from clew.ports import Clock, Store

_FACTS = ("title", "client", "cwd", "model", "project")


@dataclass(frozen=True, slots=True)
class Incoming:
    """A wire record on its way in: the format it is written in, its bytes, and what they say."""

    format: str
    body: bytes
    record: Record


@dataclass(slots=True)
class Telling:
    """How a channel tells the story.

    ``appends`` is for a caller who says what is new: equal parts are new ones. Otherwise the channel tells
    everything from the beginning, and ``heard`` counts what this telling has said so far.
    """

    channel: str
    appends: bool = False
    heard: Counter[bytes] = field(default_factory=Counter)


@dataclass(slots=True)
class Appended:
    """What one append did; ``numbers`` are the messages that are new or grew."""

    info: SessionInfo
    entries: int = 0
    known: int = 0
    numbers: list[int] = field(default_factory=list)


class Ledger:
    def __init__(self, store: Store, clock: Clock, secret: bytes, mask: Callable[[bytes], bytes] | None = None) -> None:
        self._store, self._clock, self._secret, self._mask = store, clock, secret, mask

    def append(self, info: SessionInfo, incoming: Sequence[Incoming], telling: Telling) -> Appended:
        """Stores what is new of these records, in one transaction."""
        with self._store.transaction():
            current = self._store.session(info.key) or info
            batch = self._batch(current, telling)
            batch.run(incoming)
            if self._mask:
                batch.mask_facts(self._mask)
            self._write(batch)
            return batch.result()

    def _batch(self, info: SessionInfo, telling: Telling) -> _Batch:
        def left(number: int) -> bool:
            row = self._store.row(info.key, Overview.name, row_name(number))
            return row is not None and bool(orjson.loads(row).get("left"))

        return _Batch(info, Marks(self._store, info.key, self._secret), telling, self._clock.now(), left)

    def _write(self, batch: _Batch) -> None:
        batch.marks.flush()
        self.write(batch.info.key, batch.entries)
        self._store.save_session(batch.info)

    def adopt(self, info: SessionInfo, pairs: Sequence[tuple[Entry, Record]]) -> None:
        """Entries of another ledger, with their numbers as they are, and the marks that go with them."""
        with self._store.transaction():
            batch = self._batch(info, Telling("adopted"))
            for entry, record in pairs:
                batch.adopt(entry, record)
            batch.marks.flush()
            self.write(info.key, [entry for entry, _ in pairs])
            self._store.save_session(info)

    def write(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Entries as they are, with their long strings kept as blobs."""
        stored, blobs = [], dict[str, bytes]()
        for entry in entries:
            body, found = bodies.split(self.masked(entry.body))
            blobs |= found
            stored.append(with_body(entry, body))
        if blobs:
            self._store.put_blobs(key, blobs)
        self._store.append(key, stored)

    def masked(self, body: bytes) -> bytes:
        """The bytes as they would be kept: with secrets masked where the store does that."""
        return self._mask(body) if self._mask else body

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        return self._whole(key, self._store.entries(key, after=after, until=until))

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        return self._whole(key, self._store.entries_of(key, first, last))

    def _whole(self, key: SessionKey, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            yield with_body(entry, bodies.join(entry.body, lambda digests: self._store.blobs(key, digests)))


def with_body(entry: Entry, body: bytes) -> Entry:
    """As ``replace``, which is too slow for what is done to every entry."""
    return Entry(
        seq=entry.seq,
        kind=entry.kind,
        format=entry.format,
        body=body,
        message=entry.message,
        replaces=entry.replaces,
        at=entry.at,
    )


class _Batch:
    """One append under way: counters and marks in memory until all is decided.

    The counters of the session's row are plain attributes here: a row made anew for each record would cost
    more than all the rest.
    """

    def __init__(
        self, info: SessionInfo, marks: Marks, telling: Telling, now: float, left: Callable[[int], bool]
    ) -> None:
        self.marks, self.telling, self.now, self._left = marks, telling, now, left
        self.entries: list[Entry] = []
        self.numbers: list[int] = []
        self.known = 0
        self._info = info
        self._seq, self._messages, self._version = info.entries, info.messages, info.version
        self._tail, self._updated = info.tail, info.updated
        self._facts = {name: getattr(info, name) for name in _FACTS}
        self._channel = channel_code(telling.channel)

    @property
    def info(self) -> SessionInfo:
        """The session's row after this batch."""
        return replace(
            self._info,
            entries=self._seq,
            messages=self._messages,
            version=self._version,
            tail=self._tail,
            updated=self._updated,
            **self._facts,
        )

    def result(self) -> Appended:
        return Appended(self.info, len(self.entries), self.known, self.numbers)

    def run(self, incoming: Sequence[Incoming]) -> None:
        named = [(one, self._names(one)) for one in incoming]
        self.marks.fetch(name for _, names in named for name in names.all)
        for one, names in named:
            self._learn(one.record)
            if not self._take(one, names):
                self.known += 1
        if any(entry.at == self.now and entry.message for entry in self.entries):
            self._updated = max(self._updated, self.now)

    def mask_facts(self, mask: Callable[[bytes], bytes]) -> None:
        for name, value in self._facts.items():
            self._facts[name] = mask(value.encode("utf-8", "replace")).decode()

    def adopt(self, entry: Entry, record: Record) -> None:
        names = self._names(Incoming(entry.format, entry.body, record))
        if names.key:
            self.marks.set(names.key, entry.seq)
        if entry.message:
            self._remember(names, entry.message)

    def _names(self, one: Incoming) -> _Names:
        name, record = self.marks.name, one.record
        names = _Names()
        if record.key:
            names.key = name(b"k", record.key.encode())
        if record.group:
            names.group = name(b"g", record.group.encode())
            names.version = name(b"v", record.group.encode()) if record.revises else b""
        if record.message is not None:
            names.identities = identities(record.message) or [b"empty"]
            names.parts = [name(b"t", identity) for identity in names.identities]
        elif record.tools is not None:
            names.version = name(b"v", b"tools")
        elif not record.key and not record.rollback:
            names.key = name(b"k", one.body)
        return names

    def _take(self, one: Incoming, names: _Names) -> bool:
        """False when all that the record says is known already."""
        if names.key and self.marks.get(names.key) and all(self.marks.get(part) for part in names.parts):
            return False  # an id used again for something else is something else
        number, replaces = 0, 0
        if one.record.message is not None:
            number, replaces = self._place(one.record, names)
            if not number:
                return False
            self._remember(names, number)
        elif one.record.tools is not None:
            fingerprint = _fingerprint(one.body)
            if self.marks.get(names.version) == fingerprint:
                return False
            self.marks.set(names.version, fingerprint)
        self._add(one, number, replaces)
        if names.key:
            self.marks.set(names.key, self._seq)
        return True

    def _place(self, record: Record, names: _Names) -> tuple[int, int]:
        """(the message's number, the number it replaces); 0 when all of it is known."""
        group = self.marks.get(names.group) if names.group else 0
        if record.revises and group:
            is_same = self.marks.get(names.version) == _fingerprint(b"".join(names.parts))
            return (0, 0) if is_same else (self._messages + 1, group)
        tellings = [told(self.marks.get(name)) for name in names.parts]
        ordinals = [self._ordinal(record, names, at, telling) for at, telling in enumerate(tellings)]
        old = [telling for telling, ordinal in zip(tellings, ordinals, strict=True) if telling.count >= ordinal]
        if len(old) == len(tellings) and any(self._has_left(telling.number) for telling in old):
            return self._messages + 1, 0  # said again after it was taken back
        if len(old) == len(tellings):
            if names.group and not group:
                self.marks.set(names.group, old[0].number)
            return 0, 0
        return group or (old[0].number if old else 0) or self._joined(record) or self._messages + 1, 0

    def _has_left(self, number: int) -> bool:
        """Did a rollback take the message out of the prompt view? Only sessions that were rewritten are asked."""
        return bool(self._version) and self._left(number)

    def _ordinal(self, record: Record, names: _Names, at: int, telling: Told) -> int:
        """Which occurrence of a part this channel is telling of.

        A channel's own count is kept only where it differs from what the part's mark says: for parts that
        are told again, or by another channel.
        """
        if self.telling.appends:
            return telling.count + 1
        if not record.key:
            self.telling.heard[names.parts[at]] += 1
            return self.telling.heard[names.parts[at]]
        if not telling.count:
            return 1
        name = self.marks.name(b"c", self.telling.channel.encode(), names.identities[at])
        self.marks.fetch([name])
        ordinal = (self.marks.get(name) or (telling.channel == self._channel)) + 1
        self.marks.set(name, ordinal)
        return ordinal

    def _remember(self, names: _Names, number: int) -> None:
        for part in names.parts:
            before = told(self.marks.get(part))
            channel = before.channel or (0 if self.telling.appends else self._channel)
            self.marks.set(part, Told(before.count + 1, channel, number).packed())
        if names.group:
            self.marks.set(names.group, number)
        if names.version:
            self.marks.set(names.version, _fingerprint(b"".join(names.parts)))

    def _joined(self, record: Record) -> int:
        """The number of the message before, if this record continues it."""
        if not record.joins or not self._tail:
            return 0
        number, _, whose = self._tail.partition(" ")
        return int(number) if whose == _whose(record) else 0

    def _learn(self, record: Record) -> None:
        """Facts fill what is empty; a title or model that changes is the newer one."""
        mine, facts = self._facts, record.facts
        mine["client"] = mine["client"] or facts.client
        mine["cwd"] = mine["cwd"] or facts.cwd
        mine["project"] = mine["project"] or mine["cwd"].rstrip("/").rpartition("/")[2]
        mine["model"] = facts.model or mine["model"]
        mine["title"] = facts.title or mine["title"]
        if not mine["title"] and record.message is not None:
            mine["title"] = headline(request_words(record.message))

    def _add(self, one: Incoming, number: int, replaces: int) -> None:
        record = one.record
        kind = _kind(record, replaces, grows=0 < number <= self._messages)
        self._seq += 1
        self.entries.append(
            Entry(
                seq=self._seq,
                kind=kind,
                format=one.format,
                body=one.body,
                message=number,
                replaces=replaces,
                at=record.at if record.at is not None or not number else self.now,  # when it was told, if nothing else
            )
        )
        if number:
            self.numbers.append(number)
        if number >= max(self._messages, 1):
            self._messages = number
            self._tail = f"{number} {_whose(record)}"
        self._version += kind.rewrites
        self._updated = max(self._updated, record.at or 0.0)


@dataclass(slots=True)
class _Names:
    """The marks that concern one record; empty where there is none."""

    key: bytes = b""
    group: bytes = b""
    version: bytes = b""
    parts: list[bytes] = field(default_factory=list)
    identities: list[bytes] = field(default_factory=list)

    @property
    def all(self) -> list[bytes]:
        return [name for name in (self.key, self.group, self.version, *self.parts) if name]


def _fingerprint(content: bytes) -> int:
    """A number that stands for one version of something (55 bits: it must fit a mark)."""
    return int.from_bytes(blake2b(content, digest_size=7).digest(), "big") >> 1


def _whose(record: Record) -> str:
    message = record.message
    return f"{message.role} {message.thread}" if message and record.joins else ""


def _kind(record: Record, replaces: int, *, grows: bool) -> Kind:
    if replaces:
        return Kind.EDIT
    if record.message is not None:
        return Kind.MORE if grows else Kind.MESSAGE
    if record.rollback:
        return Kind.ROLLBACK
    return Kind.TOOLS if record.tools is not None else Kind.NOTE
