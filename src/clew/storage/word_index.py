"""The index of words in a SQLite file: FTS5 finds which messages of a session hold a word.

It finds and never ranks: its own scores rest on the texts of all sessions. Each word stands in the index with its
session's number before it, so that no query reads, counts or waits for what belongs to another session.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import apsw

from clew.domain import SessionKey
from clew.ports import Postings
from clew.storage.database import Database
from clew.storage.schema import OF_SESSION
from clew.storage.word_selection import select_rare_words

#: A row's id is the session's number and, in the lower bits, the message's.
_MESSAGE_BITS = 32
_MESSAGE = (1 << _MESSAGE_BITS) - 1
_STEP_PAGES = 1000
_TOTAL = "SELECT count(*) FROM words WHERE words MATCH ?"
_NUMBERS = f"SELECT rowid & {_MESSAGE} FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY rowid"
_BORDER = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET ?"


def put_words(database: Database, key: SessionKey, words: Mapping[int, Collection[str] | None]) -> None:
    """As ``Store.put_words``."""
    with database.writing() as db:
        session = _session(db, key)
        if session is None:
            db.execute("INSERT INTO word_sessions(tenant, user, session) VALUES(?, ?, ?)", key)
            session = db.last_insert_rowid()
        base = session << _MESSAGE_BITS
        db.executemany("DELETE FROM words WHERE rowid = ?", ((base | n,) for n, held in words.items() if not held))
        db.executemany(
            "INSERT OR REPLACE INTO words(rowid, held) VALUES(?, ?)",
            ((base | number, _with_session(session, held)) for number, held in words.items() if held),
        )


def clear_words(db: apsw.Connection, key: SessionKey) -> None:
    """Takes a session out of the index."""
    session = _session(db, key)
    if session is not None:
        base = session << _MESSAGE_BITS
        db.execute("DELETE FROM words WHERE rowid BETWEEN ? AND ?", (base, base | _MESSAGE))
        db.execute("DELETE FROM word_sessions WHERE number = ?", (session,))


def find_words(database: Database, key: SessionKey, words: Collection[str], limit: int) -> list[Postings]:
    """As ``Store.find_words``."""
    with database.reading() as db:
        session = _session(db, key)
        return [] if session is None else _Search(db, session).postings(words, limit)


def find_words_in(
    database: Database, keys: Collection[SessionKey], words: Collection[str], limit: int
) -> dict[SessionKey, list[Postings]]:
    """As ``Store.find_words_in``."""
    with database.reading() as db:
        numbered = [(key, session) for key in keys if (session := _session(db, key)) is not None]
        found = {key: _Search(db, session).postings(words, limit) for key, session in numbered}
    return {key: postings for key, postings in found.items() if postings}


def rewrite_words(db: apsw.Connection) -> None:
    """Makes the index anew without what was taken out of it; until then FTS5 only passes over that.

    In steps, so that writers get their turn between them.
    """
    if not db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'words'").get:  # a file of an older Clew
        return
    pages, written = -_STEP_PAGES, 2
    while written >= 2:  # fewer changes say that there was nothing to do
        before = db.total_changes()
        db.execute("INSERT INTO words(words, rank) VALUES('merge', ?)", (pages,))
        pages, written = _STEP_PAGES, db.total_changes() - before


def _session(db: apsw.Connection, key: SessionKey) -> int | None:
    found: int | None = db.execute(f"SELECT number FROM word_sessions WHERE {OF_SESSION}", key).get
    return found


def _with_session(session: int, words: Collection[str]) -> str:
    mark = f"{session}:"
    return mark + f" {mark}".join(words)


class _Search:
    """One search in one session. A word is looked up as a string of FTS5, with the session's mark."""

    def __init__(self, db: apsw.Connection, session: int) -> None:
        self._db, self._mark, self._base = db, f"{session}:", session << _MESSAGE_BITS

    def postings(self, words: Collection[str], limit: int) -> list[Postings]:
        counted = [(self._db.execute(_TOTAL, (self._quote(word),)).get, word) for word in dict.fromkeys(words)]
        held = sorted((total, word) for total, word in counted if total)
        taken = select_rare_words(held, limit)
        since = self._since(held[0][0], self._quote(held[0][1]), limit) if held else 0
        some = " OR ".join(map(self._quote, taken))
        together = self._together(held, limit) if len(held) == len(counted) and since > self._base else ()
        return [
            Postings(
                word,
                total,
                self._with(self._numbers(query if word in taken else f"{query} AND ({some})", since), together),
            )
            for total, word in held
            if (query := self._quote(word))
        ]

    def _together(self, held: Sequence[tuple[int, str]], limit: int) -> tuple[int, ...]:
        """The newest messages that hold all the words, where not all with the rarest one are looked at."""
        query = " AND ".join(self._quote(word) for _, word in held)
        total = self._db.execute(_TOTAL, (query,)).get
        return self._numbers(query, self._since(total, query, limit)) if total else ()

    def _with(self, numbers: tuple[int, ...], more: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted({*numbers, *more})) if more else numbers

    def _quote(self, word: str) -> str:
        return '"{}"'.format((self._mark + word).replace('"', '""'))

    def _since(self, total: int, query: str, limit: int) -> int:
        """The row from which on messages count: the first, unless there are too many."""
        return self._base if total <= limit else int(self._db.execute(_BORDER, (query, limit - 1)).get)

    def _numbers(self, query: str, since: int) -> tuple[int, ...]:
        return tuple(number for (number,) in self._db.execute(_NUMBERS, (query, since)))


__all__ = ["clear_words", "find_words", "find_words_in", "put_words", "rewrite_words"]
