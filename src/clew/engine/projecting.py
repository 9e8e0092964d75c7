"""Keeping what is derived up to date: each projection has a watermark and is told what came after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import orjson

from clew.domain import Entry, Json, Kind, Message, Record, SessionInfo, SessionKey
from clew.history.bodies import digest_of
from clew.ports import MARK, Aside, Change, News, Projection, Rollback, Store
from clew.replies import noted

#: The row that holds a projection's version, watermark and state; it sorts before all others.
_STATE = ""
_CHUNK_ENTRIES = 1000
_ASIDES = {Kind.TOOLS, Kind.EPOCH, Kind.SENT, Kind.COMPACTION, Kind.SUMMARY, Kind.PIN, Kind.ALERT}

Reader = Callable[[SessionKey, int, int], Iterable[tuple[Entry, Record]]]
Counter = Callable[[SessionKey, Sequence[Message]], list[tuple[int, ...]]]


class SessionRows:
    """A projection's rows in one session; writes are kept until ``flush``."""

    def __init__(self, store: Store, key: SessionKey, projection: str) -> None:
        self._store, self._key, self._projection = store, key, projection
        self._changed: dict[str, bytes | None] = {}
        self._read: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        if name not in self._read:
            raw = self._store.row(self._key, self._projection, name)
            self._read[name] = None if raw is None else orjson.loads(raw)
        return self._read[name]

    def put(self, name: str, value: Any) -> None:
        self._read[name] = value
        self._changed[name] = orjson.dumps(value)

    def remove(self, name: str) -> None:
        self._read[name] = None
        self._changed[name] = None

    def scan(self, start: str = "", stop: str | None = None, *, last: int | None = None) -> list[tuple[str, Any]]:
        self.flush()
        found = self._store.rows(self._key, self._projection, start=start or "\x00", stop=stop, last=last)
        return [(name, orjson.loads(raw)) for name, raw in found]

    def put_blob(self, text: str) -> None:
        content = text.encode("utf-8", "surrogatepass")
        self._store.put_blobs(self._key, {digest_of(content): content})

    def blob(self, id: str) -> str | None:
        found = self._store.find_blobs(self._key, id.removeprefix("b"))
        if len(found) != 1:
            return None
        return self._store.blobs(self._key, found)[found[0]].decode("utf-8", "surrogatepass")

    def put_words(self, words: Mapping[int, Collection[str] | None]) -> None:
        self._store.put_words(self._key, words)

    def of(self, projection: str) -> SessionRows:
        return SessionRows(self._store, self._key, projection)

    def flush(self) -> None:
        if self._changed:
            self._store.put_rows(self._key, self._projection, self._changed)
            self._changed = {}


class Projector:
    """Brings projections up to date; ``read`` gives decoded entries and ``count`` the tokens of messages."""

    def __init__(self, store: Store, projections: Sequence[Projection], read: Reader, count: Counter) -> None:
        self._store, self._projections, self._read, self._count = store, projections, read, count
        self._versions = {one.name: one.version for one in projections}

    def catch_up(self, info: SessionInfo) -> bool:
        """Every projection sees every entry once, in chunks, each chunk in one transaction.

        True when there was anything to do.
        """
        worked = False
        while not self._is_done(info):
            worked = True
            with self._store.transaction():
                self._advance(info.key, info.entries)
        return worked

    def rebuild(self, info: SessionInfo) -> None:
        with self._store.transaction():
            self._store.clear_rows(info.key, MARK)
            for projection in self._projections:
                if not projection.keeps_ids:
                    self._store.clear_rows(info.key, projection.name)
        self.catch_up(info)

    def state(self, key: SessionKey, name: str) -> Any:
        return self._load(key, name).get("state")

    def _load(self, key: SessionKey, name: str) -> dict[str, Any]:
        raw = self._store.row(key, name, _STATE)
        return orjson.loads(raw) if raw else {}

    def _is_done(self, info: SessionInfo) -> bool:
        """One row tells, however many projections there are."""
        raw = self._store.row(info.key, MARK, _STATE)
        mark = orjson.loads(raw) if raw else {}
        return mark.get("versions") == self._versions and int(mark["seq"]) >= info.entries

    def _advance(self, key: SessionKey, end: int) -> None:
        """One chunk. Projections that are ahead (another process, a new one beside them) are left alone."""
        stored = {one.name: self._load(key, one.name) for one in self._projections}
        known = {name: row["seq"] if row.get("version") == self._versions[name] else 0 for name, row in stored.items()}
        after = min(known.values(), default=end)
        until = min(after + _CHUNK_ENTRIES, end)
        changes = self._changes(key, list(self._read(key, after, until)))
        for projection in [one for one in self._projections if known[one.name] <= after]:
            if known[projection.name] == 0:
                self._store.clear_rows(key, projection.name)
            rows = SessionRows(self._store, key, projection.name)
            state = stored[projection.name].get("state") if known[projection.name] else None
            state = projection.apply(state, changes, rows)
            rows.put(_STATE, {"version": projection.version, "seq": until, "state": state})
            rows.flush()
        mark = {"versions": self._versions, "seq": until}
        self._store.put_rows(key, MARK, {_STATE: orjson.dumps(mark)})

    def _changes(self, key: SessionKey, pairs: Sequence[tuple[Entry, Record]]) -> list[News]:
        told = [record.message for _, record in pairs if record.message is not None]
        counts = iter(self._count(key, told))
        changes: list[News] = []
        for entry, record in pairs:
            if entry.kind in _ASIDES and (about := _about(entry)) is not None:
                changes.append(Aside(entry.kind, entry.seq, about))
            if record.rollback:
                changes.append(Rollback(record.rollback))
            if record.message is not None:
                grows = entry.kind is Kind.MORE
                message, notes = noted(record.message)
                changes.append(Change(entry.message, message, next(counts), grows, entry.replaces, notes))
        return changes


def _about(entry: Entry) -> Json | None:
    """What an entry of ours says; None for one that is damaged: it changes nothing."""
    if entry.kind is Kind.TOOLS:
        return {}
    try:
        about = orjson.loads(entry.body)
    except orjson.JSONDecodeError:
        return None
    return about if isinstance(about, dict) else None
