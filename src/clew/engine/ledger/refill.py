"""Refilling a damaged session: entries that were lost come back from the file they were read from.

The file is drafted as if it were imported into an empty session. Entries of the draft that still stand in the ledger
are anchors; what the draft has between two anchors fills the numbers that are missing between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise

from clew.domain import Entry, Record, SessionInfo
from clew.engine.ledger.deduplication import AppendBatch
from clew.engine.ledger.entries import EntryLog, decode_stored
from clew.engine.ledger.marks import FreshMarks
from clew.engine.ledger.records import ChannelCursor, DecodedRecord
from clew.history.body_blobs import body_identity
from clew.history.part_identity import identities
from clew.ports import Gaps, Store


@dataclass(frozen=True, slots=True)
class _Kept:
    """An entry that is still there."""

    seq: int
    message: int
    identity: bytes


@dataclass(slots=True)
class RefillPlan:
    """What a file brings back: ``entries`` with the numbers they had, ``blobs``, and ``rest``, the records for which
    there is no gap. ``sources`` has for each entry that the file tells, by number, what the file says.
    """

    info: SessionInfo
    entries: list[Entry] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    rest: list[DecodedRecord] = field(default_factory=list)
    sources: dict[int, Record] = field(default_factory=dict)


class Refill:
    """Plans the refilling of one session. Writes nothing."""

    def __init__(self, info: SessionInfo, gaps: Gaps, *, store: Store, log: EntryLog, secret: bytes) -> None:
        self._info, self._gaps, self._store, self._log = info, gaps, store, log
        self._marks = FreshMarks(store, info.key, secret)
        self._known: set[bytes] = set()

    def plan(self, records: Sequence[DecodedRecord]) -> RefillPlan:
        """Returns what these records, all of one file and in order, bring back."""
        reported, draft = self._draft(records)
        stored = [self._log.stored_form(entry.body) for entry, _ in reported]
        survivors = list(self._survivors(reported[0][0].format if reported else ""))
        matcher = SequenceMatcher(
            None,
            [survivor.identity for survivor in survivors],
            [body_identity(body) for body, _ in stored],
            autojunk=False,
        )
        anchors = [(block.a + n, block.b + n) for block in matcher.get_matching_blocks() for n in range(block.size)]
        plan = RefillPlan(_with_facts(self._info, draft))
        for _, blobs in stored:
            plan.blobs |= {digest: blob for digest, blob in blobs.items() if digest in self._gaps.blobs}
        _Placement(plan, self._gaps, self._known).place(survivors, reported, anchors)
        return plan

    def _draft(self, records: Sequence[DecodedRecord]) -> tuple[list[tuple[Entry, DecodedRecord]], SessionInfo]:
        """The entries that an import into an empty session would make, each with its record."""
        empty = SessionInfo(key=self._info.key)
        channel = ChannelCursor(records[0].format if records else "")
        batch = AppendBatch(empty, self._marks, channel, 0.0, lambda _number: False)
        reported: list[tuple[Entry, DecodedRecord]] = []
        for record in records:
            batch.add([record])
            if len(batch.entries) > len(reported):
                reported.append((batch.entries[-1], record))
        return reported, batch.info

    def _survivors(self, format: str) -> Iterable[_Kept]:
        """What is still there. Parts that another channel has reported are known whatever the file calls them."""
        for entry in self._store.entries(self._info.key):
            if entry.kind.is_bookkeeping and entry.format != format:
                continue
            if entry.message and entry.format != format:
                message = decode_stored(self._log.whole(self._info.key, entry))[1].message
                self._known.update(identities(message) if message else ())
            yield _Kept(entry.seq, entry.message, body_identity(entry.body))


class _Placement:
    """Gives entries of a draft the numbers that are missing."""

    def __init__(self, plan: RefillPlan, gaps: Gaps, known: set[bytes]) -> None:
        self._plan, self._gaps, self._known = plan, gaps, known
        self._messages: dict[int, int] = {}
        self._free = set(gaps.messages)

    def place(
        self,
        kept: Sequence[_Kept],
        told: Sequence[tuple[Entry, DecodedRecord]],
        anchors: Sequence[tuple[int, int]],
    ) -> None:
        """Fills the plan. Messages that still stand keep their numbers."""
        for here, there in anchors:
            self._plan.sources[kept[here].seq] = told[there][1].record
            if told[there][0].message:
                self._messages[told[there][0].message] = kept[here].message
        ends = (0, -1), (self._plan.info.entries + 1, len(told))
        places = [ends[0], *((kept[here].seq, there) for here, there in anchors), ends[1]]
        for (after, first), (before, last) in pairwise(places):
            self._fill([seq for seq in self._gaps.entries if after < seq < before], told[first + 1 : last])

    def _fill(self, missing: Sequence[int], reported: Sequence[tuple[Entry, DecodedRecord]]) -> None:
        wanted = [pair for pair in reported if not self._is_told_elsewhere(pair[1])]
        for seq, (entry, record) in zip(missing, wanted, strict=False):
            number = self._number(entry.message)
            replaces = self._messages.get(entry.replaces, 0)
            self._plan.entries.append(replace(entry, seq=seq, message=number, replaces=replaces))
            self._plan.sources[seq] = record.record
        self._plan.rest += [record for _, record in wanted[len(missing) :]]

    def _is_told_elsewhere(self, record: DecodedRecord) -> bool:
        message = record.record.message
        return message is not None and bool(message.parts) and self._known.issuperset(identities(message))

    def _number(self, drafted: int) -> int:
        """The number that a message of the draft had: as far from the one before as in the draft, if that is free."""
        if not drafted or drafted in self._messages:
            return self._messages.get(drafted, 0)
        before = max((number for number in self._messages if number < drafted), default=0)
        base = self._messages.get(before, 0)
        guess = base + drafted - before
        later = min((number for number in self._free if number > base), default=0)
        number = guess if guess in self._free else later or self._plan.info.messages + 1
        self._free.discard(number)
        self._messages[drafted] = number
        self._plan.info = replace(self._plan.info, messages=max(self._plan.info.messages, number))
        return number


def _with_facts(info: SessionInfo, draft: SessionInfo) -> SessionInfo:
    """The row, with facts that it has lost."""
    names = ("title", "client", "cwd", "project", "model")
    return replace(
        info,
        updated=max(info.updated, draft.updated),
        **{name: getattr(info, name) or getattr(draft, name) for name in names},
    )
