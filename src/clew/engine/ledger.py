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

from clew.domain import Entry, Kind, Record, SessionInfo, SessionKey
from clew.engine.marks import Marks, count_of, number_of, packed
from clew.history import bodies
from clew.history.identity import identities
from clew.history.requests import headline, request_words
from clew.ports import Clock, Store


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
    rewrote: bool = False


class Ledger:
    def __init__(self, store: Store, clock: Clock, secret: bytes, mask: Callable[[bytes], bytes] | None = None) -> None:
        self._store, self._clock, self._secret, self._mask = store, clock, secret, mask

    def append(self, info: SessionInfo, incoming: Sequence[Incoming], telling: Telling) -> Appended:
        """Stores what is new of these records, in one transaction."""
        with self._store.transaction():
            current = self._store.session(info.key) or info
            batch = _Batch(current, Marks(self._store, info.key, self._secret), telling, self._clock.now())
            batch.run(incoming)
            self._write(batch)
            return batch.result()

    def _write(self, batch: _Batch) -> None:
        batch.marks.flush()
        self.write(batch.info.key, batch.entries)
        self._store.save_session(batch.info)

    def adopt(self, info: SessionInfo, pairs: Sequence[tuple[Entry, Record]]) -> None:
        """Entries of another ledger, with their numbers as they are, and the marks that go with them."""
        with self._store.transaction():
            batch = _Batch(info, Marks(self._store, info.key, self._secret), Telling("adopted"), self._clock.now())
            for entry, record in pairs:
                batch.adopt(entry, record)
            batch.marks.flush()
            self.write(info.key, [entry for entry, _ in pairs])
            self._store.save_session(info)

    def write(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        """Entries as they are, with their long strings kept as blobs."""
        stored, blobs = [], dict[str, bytes]()
        for entry in entries:
            body, found = bodies.split(self._mask(entry.body) if self._mask else entry.body)
            blobs |= found
            stored.append(replace(entry, body=body))
        if blobs:
            self._store.put_blobs(key, blobs)
        self._store.append(key, stored)

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        return self._whole(key, self._store.entries(key, after=after, until=until))

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        return self._whole(key, self._store.entries_of(key, first, last))

    def _whole(self, key: SessionKey, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            yield replace(entry, body=bodies.join(entry.body, lambda digests: self._store.blobs(key, digests)))


class _Batch:
    """One append under way: counters and marks in memory until all is decided."""

    def __init__(self, info: SessionInfo, marks: Marks, telling: Telling, now: float) -> None:
        self.info, self.marks, self.telling, self.now = info, marks, telling, now
        self.entries: list[Entry] = []
        self.numbers: list[int] = []
        self.known = 0
        self.rewrote = False

    def result(self) -> Appended:
        return Appended(self.info, len(self.entries), self.known, self.numbers, self.rewrote)

    def run(self, incoming: Sequence[Incoming]) -> None:
        named = [(one, self._names(one.record)) for one in incoming]
        self.marks.fetch(name for _, names in named for name in names.all)
        for one, names in named:
            self._take(one, names)
        if any(entry.at is None and entry.message for entry in self.entries):
            self.info = replace(self.info, updated=max(self.info.updated, self.now))

    def adopt(self, entry: Entry, record: Record) -> None:
        names = self._names(record)
        if names.key:
            self.marks.set(names.key, entry.seq)
        if entry.message:
            self._remember(names, entry.message, _version(names))

    def _names(self, record: Record) -> _Names:
        name, channel = self.marks.name, self.telling.channel.encode()
        found = identities(record.message) if record.message else []
        return _Names(
            key=name(b"k", record.key.encode()) if record.key else b"",
            group=name(b"g", record.group.encode()) if record.group else b"",
            version=name(b"v", record.group.encode()) if record.group and record.revises else b"",
            parts=[name(b"t", part) for part in found],
            counts=[name(b"c", channel, part) for part in found] if record.key else [],
        )

    def _take(self, one: Incoming, names: _Names) -> None:
        record = one.record
        self._learn(record)
        if names.key and self.marks.get(names.key):
            self.known += 1
            return
        number, replaces = 0, 0
        if record.message is not None:
            place = self._place(record, names)
            if place is None:
                self.known += 1
                return
            number, replaces = place
        elif self._is_known_note(one, names):
            self.known += 1
            return
        self._add(one, number, replaces)
        if names.key:
            self.marks.set(names.key, self.info.entries)

    def _is_known_note(self, one: Incoming, names: _Names) -> bool:
        """Bookkeeping without a key is known by its bytes; tools are, while they stay as they are."""
        if names.key or one.record.rollback:
            return False
        is_tools = one.record.tools is not None
        name = self.marks.name(b"v", b"tools") if is_tools else self.marks.name(b"k", one.body)
        value = _fingerprint(one.body) if is_tools else 1
        self.marks.fetch([name])
        known = self.marks.get(name) == value
        self.marks.set(name, value)
        return known

    def _place(self, record: Record, names: _Names) -> tuple[int, int] | None:
        """(message number, number it replaces), or None when all of it is known."""
        version = _version(names)
        group = self.marks.get(names.group) if names.group else 0
        if record.revises and group:
            if self.marks.get(names.version) == version:
                return None
            number, replaces = self.info.messages + 1, group
        else:
            ordinals = self._ordinals(names)
            told = [self.marks.get(name) for name in names.parts]
            fresh = [count_of(value) < ordinal for value, ordinal in zip(told, ordinals, strict=True)]
            if told and not any(fresh):
                if names.group and not group:
                    self.marks.set(names.group, number_of(told[0]))
                return None
            partly = next((number_of(v) for v, new in zip(told, fresh, strict=True) if not new), 0)
            number, replaces = group or partly or self._joined(record) or self.info.messages + 1, 0
        self._remember(names, number, version)
        return number, replaces

    def _ordinals(self, names: _Names) -> list[int]:
        """Which occurrence of each part this channel is telling of."""
        found = []
        for at, part in enumerate(names.parts):
            if self.telling.appends:
                ordinal = count_of(self.marks.get(part)) + 1
            elif names.counts:
                ordinal = self.marks.get(names.counts[at]) + 1
                self.marks.set(names.counts[at], ordinal)
            else:
                self.telling.heard[part] += 1
                ordinal = self.telling.heard[part]
            found.append(ordinal)
        return found

    def _remember(self, names: _Names, number: int, version: int) -> None:
        for part in names.parts:
            self.marks.set(part, packed(count_of(self.marks.get(part)) + 1, number))
        if names.group:
            self.marks.set(names.group, number)
        if names.version:
            self.marks.set(names.version, version)

    def _joined(self, record: Record) -> int:
        """The number of the message before, if this record continues it."""
        if not record.joins or record.message is None or not self.info.tail:
            return 0
        number, _, whose = self.info.tail.partition(" ")
        return int(number) if whose == _whose(record) else 0

    def _learn(self, record: Record) -> None:
        """Facts fill what is empty; a title or model that changes is the newer one."""
        facts, message = record.facts, record.message
        changes = {
            name: getattr(facts, name)
            for name in ("title", "client", "cwd", "model")
            if getattr(facts, name) and (name in {"title", "model"} or not getattr(self.info, name))
        }
        if message is not None and not self.info.title and "title" not in changes:
            changes["title"] = headline(request_words(message))
        if any(getattr(self.info, name) != value for name, value in changes.items()):
            self.info = replace(self.info, **changes)

    def _add(self, one: Incoming, number: int, replaces: int) -> None:
        record = one.record
        kind = _kind(record, replaces, grows=0 < number <= self.info.messages)
        entry = Entry(
            seq=self.info.entries + 1,
            kind=kind,
            format=one.format,
            body=one.body,
            message=number,
            replaces=replaces,
            at=record.at,
        )
        self.entries.append(entry)
        if number:
            self.numbers.append(number)
        self.rewrote = self.rewrote or kind.rewrites
        tail = f"{number} {_whose(record)}" if number else self.info.tail
        self.info = replace(
            self.info,
            entries=entry.seq,
            messages=max(self.info.messages, number),
            tail=tail if number >= self.info.messages or not number else self.info.tail,
            version=self.info.version + kind.rewrites,
            updated=max(self.info.updated, record.at or 0.0),
        )


@dataclass(slots=True)
class _Names:
    """The marks that concern one record."""

    key: bytes
    group: bytes
    version: bytes
    parts: list[bytes]
    counts: list[bytes]

    @property
    def all(self) -> list[bytes]:
        return [name for name in (self.key, self.group, self.version, *self.parts, *self.counts) if name]


def _version(names: _Names) -> int:
    """A number that stands for the content of one version of a message (55 bits: it must fit a mark)."""
    return _fingerprint(b"".join(names.parts))


def _fingerprint(content: bytes) -> int:
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
