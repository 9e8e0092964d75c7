"""The store in one SQLite file, for many threads and processes at once.

Every thread has a connection of its own. Writers take turns, as ``turns.py`` says; readers never wait for them, and
see what was there when they began. A transaction is on the disk when its block ends.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import apsw

from clew.config import Durability
from clew.domain import Entry, SessionInfo, SessionKey
from clew.errors import VersionConflict
from clew.ports import WORDS, Erasure, Gaps, Postings
from clew.storage.database import Database
from clew.storage.erasure import erase_deleted
from clew.storage.gaps import find_gaps
from clew.storage.remembered import RowRange
from clew.storage.row_values import entry_of, info_bytes, info_of, name_bytes, name_text
from clew.storage.schema import OF_SESSION
from clew.storage.stores import BUSY_TIMEOUT_SECONDS
from clew.storage.word_index import clear_words, find_words, find_words_in, put_words

_ENTRY = "SELECT seq, message, replaces, kind, format, at, kept, body FROM entries WHERE"
_UPSERT_BODY = "DO UPDATE SET kept = excluded.kept, body = excluded.body"

#: A page of entries read at once: no read stays open while the caller works, or the log could never be cut back.
_PAGE_ENTRIES = 500
_PAGE_BYTES = 4 << 20


class SqliteStore:
    """A store in a SQLite file, for any number of threads and processes."""

    def __init__(
        self,
        path: Path | str,
        *,
        durability: Durability = "full",
        busy_timeout_seconds: float = BUSY_TIMEOUT_SECONDS,
        vfs: str | None = None,
    ) -> None:
        self.path = Path(path).absolute()
        self._database = Database(self.path, durability=durability, busy_timeout_seconds=busy_timeout_seconds, vfs=vfs)

    def close(self) -> None:
        self._database.close()

    def transaction(self) -> AbstractContextManager[None]:
        return self._database.transaction()

    def steady(self) -> AbstractContextManager[None]:
        return self._database.steady()

    # sessions

    def session(self, key: SessionKey) -> SessionInfo | None:
        known = self._database.memory.session(key)
        if known.info is None:
            found = self._database.fetch_all(f"SELECT info FROM sessions WHERE {OF_SESSION}", key)
            known.info = (self._info(key, found[0][0]) if found else None,)
        return known.info[0]

    def sessions(self, tenant: str, user: str | None = None, *, id: str | None = None) -> list[SessionInfo]:
        asked = {"tenant": tenant} | {
            name: value for name, value in (("user", user), ("session", id)) if value is not None
        }
        where = " AND ".join(f"{name} = ?" for name in asked)
        found = self._database.fetch_all(
            f"SELECT user, session, info FROM sessions WHERE {where} ORDER BY updated DESC, session DESC, user DESC",
            tuple(asked.values()),
        )
        return [self._info(SessionKey(tenant, owner, session), info) for owner, session, info in found]

    def _info(self, key: SessionKey, data: bytes) -> SessionInfo:
        with self._database.decoding(f"the row of session {key.id}"):
            return info_of(key, data)

    def save_session(self, info: SessionInfo) -> None:
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO sessions VALUES(?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET updated = excluded.updated, info = excluded.info",
                (*info.key, info.updated, info_bytes(info)),
            )
            self._database.memory.session(info.key).info = (info,)

    def delete_session(self, key: SessionKey) -> None:
        with self._database.writing() as db:
            db.execute(
                "DELETE FROM blobs WHERE tenant = ?1 AND user = ?2 AND digest IN "
                "(SELECT digest FROM blob_uses WHERE tenant = ?1 AND user = ?2 AND session = ?3) AND NOT EXISTS "
                "(SELECT 1 FROM blob_uses AS other WHERE other.tenant = ?1 AND other.user = ?2 "
                "AND other.digest = blobs.digest AND other.session <> ?3)",
                key,
            )
            clear_words(db, key)
            for table in ("blob_uses", "projected", "marks", "entries", "sessions"):
                db.execute(f"DELETE FROM {table} WHERE {OF_SESSION}", key)
            self._database.memory.clear()

    def erase_deleted(self) -> Erasure:
        with self._database.turn():
            return erase_deleted(self.path)

    # ledger

    def append(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        with self._database.writing() as db:
            last = self._last(key)
            for entry in entries:
                if entry.seq <= last:
                    raise VersionConflict(f"entry {entry.seq} of session {key.id} is taken; read the session again")
                last = entry.seq
            known = self._database.memory.session(key)
            if known.last_message is None:
                statement = f"SELECT max(message) FROM entries INDEXED BY entries_of_messages WHERE {OF_SESSION}"
                known.last_message = db.execute(statement, key).get or 0
            self._insert(db, key, entries)
            known.append(entries)

    def restore_entries(self, key: SessionKey, entries: Sequence[Entry]) -> None:
        with self._database.writing() as db:
            self._database.memory.session(key).forget_entries()
            try:
                self._insert(db, key, entries)
            except apsw.ConstraintError as error:
                raise VersionConflict(f"an entry of session {key.id} is taken; read the session again") from error

    def delete_entries(self, key: SessionKey, seqs: Collection[int]) -> None:
        with self._database.writing() as db:
            self._database.memory.session(key).forget_entries()
            where = "tenant = ? AND user = ? AND session = ? AND seq = ?"
            db.executemany(f"DELETE FROM entries WHERE {where}", ((*key, seq) for seq in seqs))

    def _insert(self, db: apsw.Connection, key: SessionKey, entries: Sequence[Entry]) -> None:
        db.executemany(
            "INSERT INTO entries VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (*key, e.seq, e.message, e.replaces, str(e.kind), e.format, e.at, *self._database.compress(e.body))
                for e in entries
            ),
        )

    def gaps(self, info: SessionInfo) -> Gaps:
        with self._database.reading() as db:
            return find_gaps(db, info)

    def _last(self, key: SessionKey) -> int:
        known = self._database.memory.session(key)
        if known.last_entry is None:
            statement = f"SELECT coalesce(max(seq), 0) FROM entries WHERE {OF_SESSION}"
            known.last_entry = int(self._database.fetch_all(statement, key)[0][0])
        return known.last_entry

    def entries(self, key: SessionKey, *, after: int = 0, until: int | None = None) -> Iterator[Entry]:
        last = self._last(key)
        until = last if until is None else min(until, last)
        if (known := self._database.memory.session(key).entries(after, until)) is not None:
            yield from known
            return
        while after < until:
            page = self._page(
                f"{_ENTRY} {OF_SESSION} AND seq > ? AND seq <= ? ORDER BY seq LIMIT {_PAGE_ENTRIES}",
                [(*key, after, until)],
            )
            if not page:  # deleted meanwhile
                return
            yield from page
            after = page[-1].seq

    def entries_of(self, key: SessionKey, first: int, last: int) -> Iterator[Entry]:
        remembered = self._database.memory.session(key)
        if (known := remembered.entries_of(max(first, 1), last)) is not None:
            yield from known
            return
        # Left to itself the planner walks the whole session in order of seq to spare itself a sort.
        found = self._database.fetch_all(
            "SELECT seq FROM entries INDEXED BY entries_of_messages "
            f"WHERE {OF_SESSION} AND message BETWEEN ? AND ? ORDER BY seq",
            (*key, max(first, 1), last),
        )
        numbers, is_first = [number for (number,) in found], True
        while numbers:
            page = self._page(
                f"{_ENTRY} {OF_SESSION} AND seq = ?", [(*key, number) for number in numbers[:_PAGE_ENTRIES]]
            )
            if not page:
                return
            if is_first and len(page) == len(numbers):
                remembered.add_messages(max(first, 1), last, page)
            is_first = False
            yield from page
            numbers = [number for number in numbers if number > page[-1].seq]

    def _page(self, statement: str, many: list[tuple[Any, ...]]) -> list[Entry]:
        """The next entries, fewer where they are large."""
        page: list[Entry] = []
        size = 0
        with self._database.reading() as db:
            cursor = db.executemany(statement, many)
            for *head, kept, body in cursor:
                whole = self._database.decompress(kept, body)
                with self._database.decoding(f"entry {head[0]}"):
                    page.append(entry_of(head, whole))
                size += len(whole)
                if size > _PAGE_BYTES:
                    break
            cursor.close(True)
        return page

    def marks(self, key: SessionKey, names: Collection[bytes]) -> dict[bytes, int]:
        return dict(
            self._database.fetch_each(
                f"SELECT name, number FROM marks WHERE {OF_SESSION} AND name = ?", ((*key, name) for name in names)
            )
        )

    def put_marks(self, key: SessionKey, marks: Mapping[bytes, int]) -> None:
        with self._database.writing() as db:
            db.executemany(
                "INSERT INTO marks VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET number = excluded.number",
                ((*key, name, number) for name, number in marks.items()),
            )

    # blobs

    def put_blobs(self, key: SessionKey, blobs: Mapping[str, bytes]) -> None:
        with self._database.writing() as db:
            uses = [(*key, digest) for digest in blobs]
            db.executemany("INSERT INTO blob_uses VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING", uses)
            known = {
                digest
                for (digest,) in db.executemany(
                    "SELECT digest FROM blobs WHERE tenant = ? AND user = ? AND digest = ?",
                    ((key.tenant, key.user, digest) for digest in blobs),
                )
            }
            db.executemany(
                "INSERT INTO blobs VALUES(?, ?, ?, ?, ?)",
                (
                    (key.tenant, key.user, digest, *self._database.compress(body))
                    for digest, body in blobs.items()
                    if digest not in known
                ),
            )

    def blobs(self, key: SessionKey, digests: Collection[str]) -> dict[str, bytes]:
        found = self._database.fetch_each(
            "SELECT digest, kept, body FROM blob_uses JOIN blobs USING (tenant, user, digest) "
            f"WHERE {OF_SESSION} AND digest = ?",
            ((*key, digest) for digest in digests),
        )
        return {digest: self._database.decompress(kept, body) for digest, kept, body in found}

    def find_blobs(self, key: SessionKey, prefix: str) -> list[str]:
        found = self._database.fetch_all(
            "SELECT digest FROM blob_uses JOIN blobs USING (tenant, user, digest) "
            f"WHERE {OF_SESSION} AND digest >= ? AND digest < ? ORDER BY digest LIMIT 10",
            (*key, prefix, prefix + "\U0010ffff"),
        )
        return [digest for (digest,) in found]

    def release_blobs(self, key: SessionKey, digests: Collection[str]) -> None:
        with self._database.writing() as db:
            db.executemany(
                f"DELETE FROM blob_uses WHERE {OF_SESSION} AND digest = ?", [(*key, digest) for digest in digests]
            )
            db.executemany(
                "DELETE FROM blobs WHERE tenant = ?1 AND user = ?2 AND digest = ?3 AND NOT EXISTS "
                "(SELECT 1 FROM blob_uses WHERE tenant = ?1 AND user = ?2 AND digest = ?3)",
                [(key.tenant, key.user, digest) for digest in digests],
            )

    # rows of projections

    def row(self, key: SessionKey, projection: str, name: str) -> bytes | None:
        known = self._database.memory.session(key).rows.setdefault(projection, {})
        if name not in known:
            found = self._database.fetch_all(
                f"SELECT kept, body FROM projected WHERE {OF_SESSION} AND projection = ? AND name = ?",
                (*key, projection, name_bytes(name)),
            )
            known[name] = self._database.decompress(*found[0]) if found else None
        return known[name]

    def rows(
        self, key: SessionKey, projection: str, *, start: str = "", stop: str | None = None, last: int | None = None
    ) -> list[tuple[str, bytes]]:
        known, asked = self._database.memory.session(key), RowRange(start, stop, last)
        found = known.ranges.get(projection, {}).get(asked)
        if found is None:
            found = self._read_rows(key, projection, asked)
            known.add_range(projection, asked, found)
        return found.copy()

    def _read_rows(self, key: SessionKey, projection: str, asked: RowRange) -> list[tuple[str, bytes]]:
        start, stop, last = asked
        wanted: list[Any] = [*key, projection, name_bytes(start)]
        statement = f"SELECT name, kept, body FROM projected WHERE {OF_SESSION} AND projection = ? AND name >= ?"
        if stop is not None:
            statement += " AND name < ?"
            wanted.append(name_bytes(stop))
        statement += " ORDER BY name"
        if last is not None:
            statement += " DESC LIMIT ?"
            wanted.append(max(last, 0))
        found = self._database.fetch_all(statement, wanted)
        return [
            (name_text(name), self._database.decompress(kept, body))
            for name, kept, body in (found if last is None else reversed(found))
        ]

    def put_rows(self, key: SessionKey, projection: str, rows: Mapping[str, bytes | None]) -> None:
        removed = [name for name, body in rows.items() if body is None]
        with self._database.writing() as db:
            if removed:
                db.executemany(
                    f"DELETE FROM projected WHERE {OF_SESSION} AND projection = ? AND name = ?",
                    ((*key, projection, name_bytes(name)) for name in removed),
                )
            db.executemany(
                f"INSERT INTO projected VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT {_UPSERT_BODY}",
                (
                    (*key, projection, name_bytes(name), *self._database.compress(body))
                    for name, body in rows.items()
                    if body is not None
                ),
            )
            self._database.memory.session(key).put_rows(projection, rows)

    def clear_rows(self, key: SessionKey, projection: str) -> None:
        with self._database.writing() as db:
            db.execute(f"DELETE FROM projected WHERE {OF_SESSION} AND projection = ?", (*key, projection))
            if projection == WORDS:
                clear_words(db, key)
            self._database.memory.session(key).clear_rows(projection)

    # words

    def put_words(self, key: SessionKey, words: Mapping[int, Collection[str] | None]) -> None:
        put_words(self._database, key, words)

    def find_words(self, key: SessionKey, words: Collection[str], limit: int) -> list[Postings]:
        return find_words(self._database, key, words, limit)

    def find_words_in(
        self, keys: Collection[SessionKey], words: Collection[str], limit: int
    ) -> dict[SessionKey, list[Postings]]:
        return find_words_in(self._database, keys, words, limit)

    # values

    def values(self, tenant: str, user: str, space: str, names: Collection[str] | None = None) -> dict[str, bytes]:
        statement = "SELECT name, body FROM small_values WHERE tenant = ? AND user = ? AND space = ?"
        mine = (tenant, user, space)
        if names is not None:
            found = self._database.fetch_each(
                f"{statement} AND name = ?", ((*mine, name_bytes(name)) for name in names)
            )
            return {name_text(name): body for name, body in found}
        known = self._database.memory.values
        if mine not in known:
            found = self._database.fetch_all(f"{statement} ORDER BY name", mine)
            known[mine] = {name_text(name): body for name, body in found}
        return known[mine].copy()

    def put_values(self, tenant: str, user: str, space: str, values: Mapping[str, bytes | None]) -> None:
        mine = (tenant, user, space)
        with self._database.writing() as db:
            db.executemany(
                "DELETE FROM small_values WHERE tenant = ? AND user = ? AND space = ? AND name = ?",
                ((*mine, name_bytes(name)) for name, body in values.items() if body is None),
            )
            db.executemany(
                "INSERT INTO small_values VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body",
                ((*mine, name_bytes(name), body) for name, body in values.items() if body is not None),
            )
            self._database.memory.values.pop(mine, None)


__all__ = ["SqliteStore"]
