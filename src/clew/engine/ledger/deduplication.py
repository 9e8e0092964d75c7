"""Deduplication: each message is recorded once, however many channels report it.

A followed file, hooks, a gateway and a caller may all report the same conversation. A record is known by its key, or
because every part of its message is known. Each channel's equal parts are counted: its third "continue" is the third
one recorded. ``ChannelKind`` says how far a channel's count can be relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from clew.domain import Entry, EntryKind, Record, SessionInfo
from clew.engine.ledger.marks import Marks, PartMark, channel_code, part_mark
from clew.engine.ledger.records import AppendResult, ChannelCursor, ChannelKind, DecodedRecord
from clew.history.part_identity import identities
from clew.history.user_requests import headline, request_words

_FACTS = ("title", "client", "cwd", "model", "project")
#: Channels whose every record is new, also one that was told before.
_TELLS_NEWS = (ChannelKind.CALLER, ChannelKind.LOG)


class AppendBatch:
    """Decides which of some records are new, and builds their entries.
    Counters and marks stay in memory; nothing is written.

    The counters of the session's row are plain attributes here:
    building a new row for each record would cost more than all the rest.
    """

    def __init__(
        self, info: SessionInfo, marks: Marks, cursor: ChannelCursor, now: float, is_rolled_back: Callable[[int], bool]
    ) -> None:
        self.marks, self.cursor, self.now, self._is_rolled_back = marks, cursor, now, is_rolled_back
        self.entries: list[Entry] = []
        self.records: list[Record] = []
        self.numbers: list[int] = []
        self.known = 0
        self._info = info
        self._seq, self._messages, self._version = info.entries, info.messages, info.version
        self._tail, self._updated = info.tail, info.updated
        self._facts = {name: getattr(info, name) for name in _FACTS}
        self._channel = channel_code(cursor.channel)
        self._has_whole = marks.name(b"w", b"whole")

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

    def result(self) -> AppendResult:
        """Returns what this batch appends."""
        return AppendResult(len(self.entries), self.known, self.numbers, self._messages - self._info.messages)

    def add(self, records: Sequence[DecodedRecord]) -> None:
        """Adds entries for records that are new, and counts those that are known."""
        named = [(record, self._names(record)) for record in records]
        self.marks.fetch([self._has_whole, *(name for _, names in named for name in names.all)])
        if self.cursor.kind is ChannelKind.WHOLE and not self.marks.get(self._has_whole):
            self.note_whole_channel()
        for decoded, names in named:
            self._learn(decoded.record)
            if not self._take(decoded, names):
                self.known += 1
        if any(entry.at == self.now and entry.message for entry in self.entries):
            self._updated = max(self._updated, self.now)

    def mask_facts(self, mask: Callable[[bytes], bytes]) -> None:
        """Masks secrets in the session's title, folder and other facts."""
        for name, value in self._facts.items():
            self._facts[name] = mask(value.encode("utf-8", "replace")).decode()

    def adopt(self, entry: Entry, record: Record) -> None:
        """Sets the marks of an entry that has its numbers already, as its channel would have; adds no entry."""
        self.cursor, self._channel = ChannelCursor(entry.format), channel_code(entry.format)
        names = self._names(DecodedRecord(entry.format, entry.body, record))
        self.marks.fetch(names.all)
        if names.key:
            self.marks.set(names.key, entry.seq)
        if entry.message:
            for index, name in enumerate(names.parts):
                self._ordinal(record, names, index, part_mark(self.marks.get(name)))
            self._remember(names, entry.message)

    def note_whole_channel(self) -> None:
        """Notes that a channel reports all of the conversation."""
        self.marks.set(self._has_whole, 1)

    def _names(self, decoded: DecodedRecord) -> _RecordMarks:
        name, record = self.marks.name, decoded.record
        names = _RecordMarks()
        if record.key:
            names.key = name(b"k", record.key.encode())
        names.repeats = name(b"k", record.repeats.encode()) if record.repeats else b""
        if record.group:
            names.group = name(b"g", record.group.encode())
            names.version = name(b"v", record.group.encode()) if record.revises else b""
        if record.message is not None:
            names.identities = identities(record.message) or [b"empty"]
            names.parts = [name(b"t", identity) for identity in names.identities]
        elif record.tools is not None:
            names.version = name(b"v", b"tools")
        elif not record.key and not record.rollback:
            names.key = name(b"k", decoded.body)
        return names

    def _take(self, record: DecodedRecord, names: _RecordMarks) -> bool:
        """False when all that the record says is known already."""
        if names.key and self.marks.get(names.key) and self._is_known(names):
            return False  # an id used again for something else is something else
        number, replaces = 0, 0
        if record.record.message is not None and names.repeats and self.marks.get(names.repeats):
            self._identify(names)
            return False
        if record.record.message is not None:
            number, replaces = self._place(record.record, names)
            if not number:
                if names.key:  # the same record again is then known by its key, however often its words are said
                    self.marks.set(names.key, max(self._seq, 1))
                return False
            self._remember(names, number)
        elif record.record.tools is not None:
            fingerprint = _fingerprint(record.body)
            if self.marks.get(names.version) == fingerprint:
                return False
            self.marks.set(names.version, fingerprint)
        self._add(record, number, replaces)
        if names.key:
            self.marks.set(names.key, self._seq)
        return True

    def _is_known(self, names: _RecordMarks) -> bool:
        """Are the words of a record known whose key is? A caller says them again where the session ends with them;
        after anything else, or once they were taken back, they are new: some servers give every reply the same id.
        """
        marks = [part_mark(self.marks.get(name)) for name in names.parts]
        if not all(mark.count for mark in marks) or self.cursor.kind is not ChannelKind.CALLER:
            return all(mark.count for mark in marks)
        return all(mark.number == self._messages and not self._was_rolled_back(mark.number) for mark in marks)

    def _place(self, record: Record, names: _RecordMarks) -> tuple[int, int]:
        """(the message's number, the number it replaces); 0 when all of it is known."""
        group = self.marks.get(names.group) if names.group else 0
        if record.revises and group:
            is_same = self.marks.get(names.version) == _fingerprint(b"".join(names.parts))
            return (0, 0) if is_same else (self._messages + 1, group)
        marks = [part_mark(self.marks.get(name)) for name in names.parts]
        ordinals = [self._ordinal(record, names, index, mark) for index, mark in enumerate(marks)]
        old = [mark for mark, ordinal in zip(marks, ordinals, strict=True) if mark.count >= ordinal]
        if len(old) == len(marks) and any(self._was_rolled_back(mark.number) for mark in old):
            return self._messages + 1, 0  # said again after it was taken back
        if len(old) == len(marks):
            if names.group and not group:
                self.marks.set(names.group, old[0].number)
            return 0, 0
        return group or (old[0].number if old else 0) or self._continued_number(record) or self._messages + 1, 0

    def _was_rolled_back(self, number: int) -> bool:
        """Did a rollback take the message out of the prompt view? Only sessions that were rewritten are asked."""
        return bool(self._version) and self._is_rolled_back(number)

    def _ordinal(self, record: Record, names: _RecordMarks, at: int, mark: PartMark) -> int:
        """Which occurrence of a part this channel reports.

        A channel's own count is kept only where it differs from what the part's mark says: for parts that
        are reported again, or by another channel.
        """
        kind = self.cursor.kind
        if kind in _TELLS_NEWS:
            return mark.count + 1
        if kind is ChannelKind.WHOLE and not record.key:
            self.cursor.counts[names.parts[at]] += 1
            return self.cursor.counts[names.parts[at]]
        earlier = names.parts[:at].count(names.parts[at])
        if not mark.count and not earlier:
            return 1
        if mark.count and kind is ChannelKind.REPORTER and not record.key and self.marks.get(self._has_whole):
            return mark.count
        name = self.marks.name(b"c", self.cursor.channel.encode(), names.identities[at])
        self.marks.fetch([name])
        own = self.marks.get(name) or mark.channel == self._channel or (earlier and not mark.count)
        ordinal = own + 1
        self.marks.set(name, ordinal)
        return ordinal

    def _identify(self, names: _RecordMarks) -> None:
        """Notes that a record says what an earlier one said: it is known from here on, and so is its group."""
        if names.key:
            self.marks.set(names.key, max(self._seq, 1))
        if names.group and not self.marks.get(names.group):
            self.marks.set(names.group, part_mark(self.marks.get(names.parts[0])).number)
            self.marks.set(names.version, _fingerprint(b"".join(names.parts)))

    def _remember(self, names: _RecordMarks, number: int) -> None:
        for part in names.parts:
            before = part_mark(self.marks.get(part))
            channel = before.channel or (0 if self.cursor.kind in _TELLS_NEWS else self._channel)
            self.marks.set(part, PartMark(before.count + 1, channel, number).to_number())
        if names.group:
            self.marks.set(names.group, number)
        if names.version:
            self.marks.set(names.version, _fingerprint(b"".join(names.parts)))

    def _continued_number(self, record: Record) -> int:
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

    def _add(self, decoded: DecodedRecord, number: int, replaces: int) -> None:
        record = decoded.record
        kind = _kind(record, replaces, grows=0 < number <= self._messages)
        self._seq += 1
        self.records.append(record)
        self.entries.append(
            Entry(
                seq=self._seq,
                kind=kind,
                format=decoded.format,
                body=decoded.body,
                message=number,
                replaces=replaces,
                at=record.at
                if record.at is not None or not number
                else self.now,  # when it was recorded, if nothing else
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
class _RecordMarks:
    """The marks that concern one record; empty where there is none."""

    key: bytes = b""
    repeats: bytes = b""
    group: bytes = b""
    version: bytes = b""
    parts: list[bytes] = field(default_factory=list)
    identities: list[bytes] = field(default_factory=list)

    @property
    def all(self) -> list[bytes]:
        return [name for name in (self.key, self.repeats, self.group, self.version, *self.parts) if name]


def _fingerprint(content: bytes) -> int:
    """A number that stands for one version of something (55 bits: it must fit a mark)."""
    return int.from_bytes(blake2b(content, digest_size=7).digest(), "big") >> 1


def _whose(record: Record) -> str:
    message = record.message
    return f"{message.role} {message.thread}" if message and record.joins else ""


def _kind(record: Record, replaces: int, *, grows: bool) -> EntryKind:
    if replaces:
        return EntryKind.EDIT
    if record.message is not None:
        return EntryKind.MORE if grows else EntryKind.MESSAGE
    if record.rollback:
        return EntryKind.ROLLBACK
    return EntryKind.TOOLS if record.tools is not None else EntryKind.NOTE
