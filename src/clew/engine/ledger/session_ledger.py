"""One session's ledger: the only place that appends entries, and the only one that brings projections up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from threading import get_ident
from typing import Any, TypeVar

import orjson

from clew.codecs import jsonio
from clew.codecs.clew_format import NAME
from clew.domain import Entry, EntryKind, Json, Record, SessionInfo, SessionKey, Usage
from clew.engine.ledger.blob_texts import text_blobs
from clew.engine.ledger.deduplication import AppendBatch
from clew.engine.ledger.entries import EntryLog
from clew.engine.ledger.marks import Marks
from clew.engine.ledger.projector import Projector
from clew.engine.ledger.records import AppendResult, ChannelCursor, DecodedRecord
from clew.engine.ledger.recovery import Recovery
from clew.engine.ledger.refill import Refill, RefillPlan
from clew.engine.ledger.rows import SessionRows
from clew.engine.ledger.stored_session import StoredSession
from clew.errors import ClewError, NotFound, VersionConflict
from clew.history.overview import OverviewProjection, row_name
from clew.history.prompt_state import PromptStateProjection, all_epochs
from clew.ports import HEARD, WORDS, Clock, Postings, Store

#: Something is built so often without keeping others from recording; then they wait.
_BUILDS = 3
#: Where the latest session is stored: the space, and the name in it; of all users, under a name that no user has.
LATEST, OF_ALL = "latest", ""

T = TypeVar("T")


class SessionLedger(StoredSession):
    """Reads and writes one session, always as the store has it at that moment.

    Projections are brought up to date before they are read. With ``is_fixed`` the session is read as the given row has
    it, and the row is not read again: a list of many sessions looks at each once.
    All access to rows and entries goes through here, so that two threads may each have a ledger of the same session.
    """

    def __init__(
        self,
        info: SessionInfo,
        *,
        store: Store,
        log: EntryLog,
        projector: Projector,
        clock: Clock,
        secret: bytes,
        is_fixed: bool = False,
    ) -> None:
        super().__init__(info, store=store, log=log, is_fixed=is_fixed)
        self._projector, self._clock, self._secret, self._projected = projector, clock, secret, 0

    def for_other_thread(self) -> SessionLedger:
        """Returns another ledger of the same session, for another thread."""
        return SessionLedger(
            self._info,
            store=self._store,
            log=self._log,
            projector=self._projector,
            clock=self._clock,
            secret=self._secret,
        )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that happens inside is one unit, undone if it raises; nests."""
        before = (self._info, self._projected)
        self._held.pop(get_ident(), None)
        try:
            with self._store.transaction():
                yield
        except BaseException:
            self._info, self._projected = before
            raise

    def at_one_moment(self, build: Callable[[], T], write: Callable[[T], None] | None = None) -> T:
        """Returns what ``build`` made of one state of the session, and lets ``write`` append to that very state.

        What is recorded meanwhile makes it be built again, also where an error came of it; the last time others wait.
        """
        for _ in range(_BUILDS):
            self.bring_up_to_date()
            before = self._moment()
            try:
                with self.steady():
                    value = build()
            except ClewError:
                if self._moment() == before:
                    raise
                continue
            with self.transaction() if write else nullcontext():
                if self._moment() == before:
                    if write:
                        write(value)
                    return value
        with self.transaction():
            value = build()
            if write:
                write(value)
            return value

    @contextmanager
    def steady(self) -> Iterator[None]:
        """What is read inside is read once, though others may write meanwhile. Whoever writes by it looks after that:
        ``at_one_moment`` builds again.
        """
        if (row := self._row()) is not None:
            self._held[get_ident()] = row
        try:
            with self._store.steady():
                yield
        finally:
            self._held.pop(get_ident(), None)

    def _moment(self) -> tuple[bool, int, int]:
        info = self._store.session(self.key)
        return (True, info.version, info.entries) if info else (False, 0, 0)

    # ── what is derived ──────────────────────────────────────────────────────────────────────────────

    def rows(self, projection: str, *, alone: bool = False) -> SessionRows:
        """Returns a projection's rows, up to date; ``alone`` leaves other projections as they are, which is quicker in
        a session that was just read."""
        if alone:
            self._bring_one_up_to_date(projection)
        else:
            self.bring_up_to_date()
        return SessionRows(self._store, self.key, projection)

    def state(self, projection: str, *, alone: bool = False) -> Any:
        """Returns the state that a projection keeps between updates, up to date; None where it has none yet. ``alone``
        as for ``rows``."""
        self._bring_one_up_to_date(projection) if alone else self.bring_up_to_date()
        return self._projector.state(self.key, projection)

    def last_state(self, projection: str) -> Any:
        """Returns the state as it was stored last, calls that wait for their outputs aside: for what entries of Clew's
        own alone change, which are taken in as they are appended.
        """
        state = self._projector.state(self.key, projection) if self.projected_entries() else None
        return state or self.state(projection, alone=True)

    def bring_up_to_date(self) -> None:
        """Lets every projection see every entry. Costs one short read when they have."""
        info = self._row()
        if info is None or info.entries == self._projected:
            return
        if self._projector.is_salvaged(self.key):
            self._recover()
        elif info.entries and self._projector.catch_up(info):
            self._save_usage()
        self._projected = info.entries

    def _bring_one_up_to_date(self, projection: str) -> None:
        info = self._row()
        if info is None or info.entries == self._projected:
            return
        if self._projector.is_salvaged(self.key):
            self.bring_up_to_date()
            return
        self._projector.catch_up_one(info, projection)

    def bring_words_up_to_date(self) -> None:
        """Lets the word index see every entry, and leaves other projections as they are."""
        self._bring_one_up_to_date(WORDS)

    def projected_entries(self) -> int:
        """Returns how many entries all projections have seen; none is brought up to date by it."""
        return self._projector.reach(self.key)

    def rebuild(self, *, ids: bool = False) -> None:
        """Builds all projections again from the ledger; ids of segments stay, unless ``ids`` is set.
        Epochs end, because outputs may be shortened differently now.
        """
        self._projector.rebuild(self.info, ids=ids)
        self._save_usage()
        self._recovery().restore_texts()
        if any(epochs.seq for _, epochs in all_epochs(self.rows(PromptStateProjection.name))):
            self.append(EntryKind.EPOCH, {"ended": True})

    def _recover(self) -> None:
        """Makes anew what a salvage may have lost: marks, and all that is derived."""
        with self.transaction():
            self._recovery().remake_marks({})
            self.rebuild()

    def _recovery(self) -> Recovery:
        return Recovery(self.info, store=self._store, log=self._log, secret=self._secret)

    def _save_usage(self) -> None:
        totals = self._projector.state(self.key, OverviewProjection.name) or {}
        counted = totals.get("usage", ())
        usage = Usage(*(counted if any(counted) else totals.get("spent", ())))
        info = self._store.session(self.key)
        if info is None or info.usage == usage:
            return
        with self.transaction():
            current = self._store.session(self.key)
            if current is not None and current.usage != usage:
                self._store.save_session(replace(current, usage=usage))

    def keep_texts(self, texts: Sequence[str]) -> None:
        """Stores texts whole as blobs, so that markers in prompts can refer to them."""
        missing = {digest: content for digest, content in text_blobs(texts).items() if not self.find_blobs(digest)}
        if missing:
            self._store.put_blobs(self.key, missing)

    def find_words(self, words: Sequence[str], limit: int) -> list[Postings]:
        """Finds messages that hold these words, as ``Store.find_words`` does; the index is brought up to date first."""
        self._bring_one_up_to_date(WORDS)
        return self._store.find_words(self.key, words, limit)

    # ── appending ────────────────────────────────────────────────────────────────────────────────────

    def append(
        self,
        kind: EntryKind,
        body: Json,
        *,
        message: int = 0,
        replaces: int = 0,
        expect: int | None = None,
        project: bool = True,
    ) -> Entry:
        """Appends one entry that Clew itself writes, and brings projections up to date; without ``project``, whoever
        reads or writes next does that.

        Raises VersionConflict if the session's version is no longer ``expect``, and NotFound after a purge.
        """
        with self.transaction():
            info = self._current_info(expect)
            entry = Entry(
                seq=info.entries + 1,
                kind=kind,
                format=NAME,
                body=jsonio.dumps(body),
                message=message,
                replaces=replaces,
                at=self._clock.now(),
            )
            self._log.write(self.key, [entry])
            changed = replace(info, entries=entry.seq, messages=max(info.messages, message))
            if kind.rewrites:
                # Nothing goes on from a message that is no longer as it was.
                changed = replace(changed, version=info.version + 1, updated=entry.at or 0.0, tail="")
            self._save(changed, project=project)
        return entry

    def append_versions(self, versions: Sequence[tuple[int, Json]], *, expect: int | None = None) -> list[int]:
        """Appends new versions of messages, as one unit: pairs of the number that is replaced, and the body.
        Returns their numbers. Raises as ``append`` does.
        """
        with self.transaction():
            info, now = self._current_info(expect), self._clock.now()
            entries = [
                Entry(
                    seq=info.entries + index,
                    kind=EntryKind.EDIT,
                    format=NAME,
                    body=jsonio.dumps(body),
                    message=info.messages + index,
                    replaces=number,
                    at=now,
                )
                for index, (number, body) in enumerate(versions, 1)
            ]
            self._log.write(self.key, entries)
            count = len(entries)
            grown = replace(info, entries=info.entries + count, messages=info.messages + count)
            self._save(replace(grown, version=info.version + count, updated=now, tail=""))
        return [entry.message for entry in entries]

    def append_records(
        self, records: Sequence[DecodedRecord], cursor: ChannelCursor, *, index: bool = False
    ) -> AppendResult:
        """Appends what is new of these records, in one transaction; with ``index``, what they say is found by its words
        from then on. Other projections are left as they are.
        """
        with self.transaction():
            if self._projector.is_salvaged(self.key):
                self._recover()
            batch = self._batch(self._current_info(None), cursor)
            batch.add(records)
            if self._log.masks:
                batch.mask_facts(self._log.mask)
            batch.marks.flush()
            self._log.write(self.key, batch.entries)
            self._store.save_session(batch.info)
            self._info = batch.info
            if batch.entries:
                self.mark_latest()
            if batch.entries and index:
                # What is masked has to be decoded as it is stored.
                pairs = [] if self._log.masks else list(zip(batch.entries, batch.records, strict=True))
                self._projector.index_words(batch.info, pairs)
            return batch.result()

    def mark_latest(self) -> None:
        """Makes this the session that ``latest`` names, of all sessions of its user, and of all users."""
        for place, named in latest_marks(self.key).items():
            if self._store.values(self.key.tenant, place, LATEST).get(LATEST) != named:
                self._store.put_values(self.key.tenant, place, LATEST, {LATEST: named})

    def adopt(self, info: SessionInfo, pairs: Sequence[tuple[Entry, Record]]) -> None:
        """Appends entries of another ledger with their numbers and marks, and stores ``info`` as the session's row."""
        with self.transaction():
            batch = self._batch(info, ChannelCursor("adopted"))
            for entry, record in pairs:
                batch.adopt(entry, record)
            batch.marks.flush()
            self._log.write(info.key, [entry for entry, _ in pairs])
            self._store.save_session(info)
            self._info = info

    def refill(self, records: Sequence[DecodedRecord]) -> RefillPlan:
        """Brings back what these records, all of one file and in order, still know of what was lost.
        Returns what was done; its ``rest`` is left to be appended.
        """
        with self.transaction():
            plan = Refill(self.info, self.gaps(), store=self._store, log=self._log, secret=self._secret).plan(records)
            self._store.put_blobs(self.key, plan.blobs)
            self._log.restore(self.key, plan.entries)
            self._store.save_session(plan.info)
            self._info = plan.info
            self._close_gaps(plan.sources)
        return plan

    def restore(self, pairs: Sequence[tuple[Entry, Record]]) -> None:
        """Brings back entries that were lost, with their numbers, and blobs that others refer to."""
        with self.transaction():
            missing = frozenset(self.gaps().entries)
            for entry, _ in pairs:
                self._store.put_blobs(self.key, self._log.stored_form(entry.body)[1])
            self._log.restore(self.key, [entry for entry, _ in pairs if entry.seq in missing])
            self._close_gaps({entry.seq: record for entry, record in pairs})

    def _close_gaps(self, records: Mapping[int, Record]) -> None:
        """Makes everything derived anew once entries came back. With them, segments have the ids they had."""
        self._store.clear_rows(self.key, HEARD)
        self._recovery().remake_marks(records)
        self.rebuild(ids=True)
        self._recovery().settle()

    def _current_info(self, expect: int | None) -> SessionInfo:
        stored = self._store.session(self.key)
        info = stored or self._info
        if self._info.entries > (stored.entries if stored else 0):  # where it was begun anew, by others
            raise NotFound(f"session {self.id} has been purged; nothing more is written of it")
        if expect is not None and info.version != expect:
            raise VersionConflict(
                f"session {self.id} was rewritten meanwhile (version {info.version}, not {expect}); read it again"
            )
        return info

    def _save(self, info: SessionInfo, *, project: bool = True) -> None:
        self._store.save_session(info)
        self._info = info
        if project:
            self.bring_up_to_date()

    def _batch(self, info: SessionInfo, cursor: ChannelCursor) -> AppendBatch:
        def is_rolled_back(number: int) -> bool:
            self._bring_one_up_to_date(OverviewProjection.name)
            row = self._store.row(info.key, OverviewProjection.name, row_name(number))
            return row is not None and bool(orjson.loads(row).get("left"))

        return AppendBatch(info, Marks(self._store, info.key, self._secret), cursor, self._clock.now(), is_rolled_back)


def latest_marks(key: SessionKey) -> dict[str, bytes]:
    """Returns what says that a session is the latest, by the user under whom it is written."""
    return {key.user: key.id.encode(), OF_ALL: f"{key.id} {key.user}".encode()}
