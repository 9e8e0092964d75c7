"""Keeping what is derived up to date: each projection has a watermark and is told what came after it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import orjson

from clew.domain import Entry, Kind, Message, Record, SessionInfo, SessionKey
from clew.history.bodies import digest_of
from clew.ports import Aside, Change, News, Projection, Rollback, Store
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

    def catch_up(self, info: SessionInfo) -> bool:
        """Every projection sees every entry once, in chunks, each chunk in one transaction.

        True when there was anything to do.
        """
        worked = False
        while self._watermark(info.key) < info.entries:
            worked = True
            with self._store.transaction():
                self._advance(info.key, self._watermark(info.key), info.entries)
        return worked

    def rebuild(self, info: SessionInfo) -> None:
        with self._store.transaction():
            for projection in self._projections:
                if not projection.keeps_ids:
                    self._store.clear_rows(info.key, projection.name)
        self.catch_up(info)

    def state(self, key: SessionKey, name: str) -> Any:
        return self._load(key, name).get("state")

    def _load(self, key: SessionKey, name: str) -> dict[str, Any]:
        raw = self._store.row(key, name, _STATE)
        return orjson.loads(raw) if raw else {}

    def _seen(self, key: SessionKey, projection: Projection) -> int:
        stored = self._load(key, projection.name)
        return int(stored["seq"]) if stored.get("version") == projection.version else 0

    def _watermark(self, key: SessionKey) -> int:
        return min((self._seen(key, projection) for projection in self._projections), default=0)

    def _advance(self, key: SessionKey, after: int, end: int) -> None:
        """One chunk. Projections that are ahead (another process, a new one beside them) are left alone."""
        until = min(after + _CHUNK_ENTRIES, end)
        pairs = list(self._read(key, after, until))
        changes = self._changes(key, pairs)
        for projection in self._projections:
            seen = self._seen(key, projection)
            if seen > after:
                continue
            if seen == 0:
                self._store.clear_rows(key, projection.name)
            stored = self._load(key, projection.name)
            rows = SessionRows(self._store, key, projection.name)
            state = projection.apply(stored.get("state"), changes, rows)
            rows.put(_STATE, {"version": projection.version, "seq": until, "state": state})
            rows.flush()

    def _changes(self, key: SessionKey, pairs: Sequence[tuple[Entry, Record]]) -> list[News]:
        told = [record.message for _, record in pairs if record.message is not None]
        counts = iter(self._count(key, told))
        changes: list[News] = []
        for entry, record in pairs:
            if entry.kind in _ASIDES:
                about = orjson.loads(entry.body) if entry.kind is not Kind.TOOLS else {}
                changes.append(Aside(entry.kind, entry.seq, about))
            if record.rollback:
                changes.append(Rollback(record.rollback))
            if record.message is not None:
                grows = entry.kind is Kind.MORE
                message, notes = noted(record.message)
                changes.append(Change(entry.message, message, next(counts), grows, entry.replaces, notes))
        return changes
