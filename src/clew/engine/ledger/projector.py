"""The projector keeps projections up to date: each has a watermark and receives the entries after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import orjson

from clew.domain import Entry, EntryKind, Json, Message, Record, SessionInfo, SessionKey
from clew.domain.values import to_json
from clew.engine.ledger.entries import HANDED_IN
from clew.engine.ledger.rows import SessionRows, row_bytes, row_value
from clew.foreground import give_way
from clew.ports import MARK, SALVAGED, WORDS, LedgerEvent, LedgerNote, MessageChange, Projection, Rollback, Store

#: The row that holds a projection's version, watermark and state; it sorts before all others.
_STATE = ""
#: Entries of one transaction, in which nobody else can write: some seconds of work on a busy machine.
_CHUNK_ENTRIES = 200
#: Projections that ask for no tokens: whoever reads one of them alone waits for no table of tokens.
_UNCOUNTED = frozenset({WORDS, "feedback", "watch", "workmap"})

Reader = Callable[[SessionKey, int, int], Iterable[tuple[Entry, Record]]]
Counter = Callable[[SessionKey, Sequence[Message]], list[tuple[int, ...]]]
Pairs = Sequence[tuple[Entry, Record]]


class Projector:
    """Brings projections up to date. ``read`` returns decoded entries, ``count`` the tokens of messages."""

    def __init__(self, store: Store, projections: Sequence[Projection], read: Reader, count: Counter) -> None:
        self._store, self._projections, self._read, self._count = store, projections, read, count
        self._versions = {projection.name: projection.version for projection in projections}

    def catch_up(self, info: SessionInfo) -> bool:
        """Gives every projection the entries it has not seen, in chunks of one transaction each.
        Returns whether there were any.
        """
        worked = False
        while not self._is_done(info):
            give_way()
            with self._store.transaction():
                if not self._is_done(info):  # nobody else has done it meanwhile
                    until = self._advance(info.key, info.entries, self._projections, is_marked=True)
                    mark = {"versions": self._versions, "seq": until}
                    self._store.put_rows(info.key, MARK, {_STATE: orjson.dumps(mark)})
            worked = True
        return worked

    def catch_up_one(self, info: SessionInfo, name: str) -> None:
        """Gives one projection the entries it has not seen, and leaves the others to whoever reads them."""
        self._advance_to(info.key, name, info.entries)

    def index_words(self, info: SessionInfo, newest: Pairs) -> None:
        """Gives the word index the entries it has not seen. ``newest`` are the last ones, as they were just appended:
        they are neither read nor decoded again.
        """
        chosen = [projection for projection in self._projections if projection.name == WORDS]
        while (seen := self._seen_by(info.key, WORDS)) < info.entries:
            is_next = bool(newest) and newest[0][0].seq == seen + 1
            self._advance(info.key, info.entries, chosen, newest if is_next else None)

    def rebuild(self, info: SessionInfo, *, ids: bool = False) -> None:
        """Deletes the rows of all projections and builds them again from the ledger.
        Those that keep ids are left as they are, unless ``ids`` is set.
        """
        with self._store.transaction():
            self._store.clear_rows(info.key, MARK)
            for projection in self._projections:
                if ids or not projection.keeps_ids:
                    self._store.clear_rows(info.key, projection.name)
        self.catch_up(info)

    def is_salvaged(self, key: SessionKey) -> bool:
        """Returns True for a session of which a damaged store has been salvaged, until it is rebuilt."""
        return self._store.row(key, MARK, _STATE) == SALVAGED

    def state(self, key: SessionKey, name: str) -> Any:
        """Returns the state that a projection keeps between updates; None where it has none."""
        return self._load(key, name).get("state")

    def reach(self, key: SessionKey) -> int:
        """Returns the last entry that all projections have seen, in their present versions."""
        return self._all_seen(key) or 0

    def _all_seen(self, key: SessionKey) -> int | None:
        """One row tells, however many projections there are; None where they have to be made."""
        mark = self._mark(key)
        return int(mark["seq"]) if mark.get("versions") == self._versions else None

    def _mark(self, key: SessionKey) -> dict[str, Any]:
        """How far all projections were when they were last brought up to date together, and in which versions."""
        raw = self._store.row(key, MARK, _STATE)
        return orjson.loads(raw) if raw else {}

    def _load(self, key: SessionKey, name: str) -> dict[str, Any]:
        raw = self._store.row(key, name, _STATE)
        return row_value(raw) if raw else {}

    def _is_done(self, info: SessionInfo) -> bool:
        seen = self._all_seen(info.key)
        return seen is not None and seen >= info.entries

    def _last_seen(self, name: str, row: dict[str, Any], mark: dict[str, Any]) -> int:
        """The last entry that a projection has seen in its present version: its own row says so, or the mark of all,
        for one to which the entries since made no difference.
        """
        version = self._versions[name]
        own = int(row["seq"]) if row.get("version") == version else 0
        return max(own, int(mark["seq"])) if mark.get("versions", {}).get(name) == version else own

    def _seen_by(self, key: SessionKey, name: str) -> int:
        return self._last_seen(name, self._load(key, name), self._mark(key))

    def _advance(
        self,
        key: SessionKey,
        end: int,
        projections: Sequence[Projection],
        pairs: Pairs | None = None,
        *,
        is_marked: bool = False,
    ) -> int:
        """One chunk, or the ``pairs`` that come next; returns its last entry. A projection that is ahead (another
        process, one that was wanted alone, a new one beside it) gets what it has not seen. ``is_marked`` says that the
        mark of all is set to that entry next: a row that would tell nothing else is not written.
        """
        mark, stored = (
            self._mark(key),
            {projection.name: self._load(key, projection.name) for projection in projections},
        )
        last_seen = {name: self._last_seen(name, row, mark) for name, row in stored.items()}
        after = min(last_seen.values(), default=end)
        until = pairs[-1][0].seq if pairs else min(after + _CHUNK_ENTRIES, end)
        is_counted = any(projection.name not in _UNCOUNTED for projection in projections)
        changes = self._changes(key, pairs or list(self._read(key, after, until)), is_counted=is_counted)

        def reach(name: str) -> None:
            """Brings a projection that another one asks as far as that one is."""
            if last_seen.get(name, 0) < until:
                self._advance_to(key, name, until)
                last_seen[name] = until

        for projection in projections:
            name, seen = projection.name, last_seen[projection.name]
            if seen >= until:
                continue
            if seen == 0:
                self._store.clear_rows(key, name)
            rows = SessionRows(self._store, key, name, reach=reach)
            new = [change for seq, change in changes if seq > seen]
            state = projection.apply(stored[name].get("state") if seen else None, new, rows)
            row = {"version": projection.version, "seq": stored[name].get("seq"), "state": state}
            if not is_marked or rows.has_changed or row_bytes(row) != self._store.row(key, name, _STATE):
                rows.put(_STATE, row | {"seq": until})
            rows.flush()
            last_seen[name] = until
        return until

    def _advance_to(self, key: SessionKey, name: str, until: int) -> None:
        """Gives one projection the entries that it has not seen, up to one of them."""
        chosen = [projection for projection in self._projections if projection.name == name]
        while self._seen_by(key, name) < until:
            with self._store.transaction():
                self._advance(key, until, chosen)

    def _changes(self, key: SessionKey, pairs: Pairs, *, is_counted: bool) -> list[tuple[int, LedgerEvent]]:
        """What entries change, each with its number; tokens are counted where a projection asks for them."""
        from clew.replies.parsing import split_notes

        messages = [record.message for _, record in pairs if record.message is not None]
        counts = iter(self._count(key, messages) if is_counted else [()] * len(messages))
        changes: list[tuple[int, LedgerEvent]] = []
        for entry, record in pairs:
            if entry.kind.is_for_projections and (about := _about(entry)) is not None:
                changes.append((entry.seq, LedgerNote(entry.kind, entry.seq, about)))
            if record.report is not None:
                changes.append((entry.seq, LedgerNote(entry.kind, entry.seq, {"report": to_json(record.report)})))
            if record.rollback:
                changes.append((entry.seq, Rollback(record.rollback)))
            if record.message is not None:
                grows = entry.kind is EntryKind.MORE
                message, notes = split_notes(record.message)
                told_with = (next(counts), grows, entry.replaces, notes, record.facts.branch, record.facts.cwd)
                is_handed_in = entry.format in HANDED_IN
                changes.append((entry.seq, MessageChange(entry.message, message, *told_with, is_handed_in)))
        return changes


def _about(entry: Entry) -> Json | None:
    """What an entry of ours says; None for one that is damaged: it changes nothing."""
    if entry.kind is EntryKind.TOOLS:
        return {}
    try:
        about = orjson.loads(entry.body)
    except orjson.JSONDecodeError:
        return None
    return about if isinstance(about, dict) else None
