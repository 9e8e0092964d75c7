"""A store's schema: older ones are migrated after a backup, newer ones are refused."""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path

import apsw
import pytest

import clew
from clew.config import Config
from clew.domain import Entry, EntryKind, SessionKey
from clew.errors import (
    StoreTooNew,
)
from clew.ports import Postings
from clew.storage.file_copies import other_copies
from clew.storage.schema import MIGRATIONS, ensure_current, ensure_file
from clew.storage.sqlite import SqliteStore

KEY = SessionKey("acme", "ada", "one")
POSIX = pytest.mark.skipif(os.name == "nt", reason="modes are those of POSIX")


def entry(seq: int, body: bytes = b"body") -> Entry:
    return Entry(seq=seq, kind=EntryKind.MESSAGE, format="clew", body=body, message=seq)


def numbers(store: SqliteStore) -> list[int]:
    return [found.seq for found in store.entries(KEY)]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def _older(path: Path) -> apsw.Connection:
    """A store of this Clew's schema with an entry, and a connection to it."""
    store = SqliteStore(path)
    store.append(KEY, [entry(1)])
    store.close()
    return apsw.Connection(str(path))


KNOWN = len(MIGRATIONS)
NEXT = (*MIGRATIONS, ("a colour for sessions", "ALTER TABLE sessions ADD COLUMN colour TEXT"))


def test_a_newer_schema_is_refused_with_both_versions(path: Path) -> None:
    ensure_current(_older(path), path, NEXT)
    with pytest.raises(StoreTooNew, match=rf"schema {KNOWN + 1} .* up to {KNOWN}"):
        SqliteStore(path)


def test_an_older_schema_is_migrated_after_a_backup(path: Path) -> None:
    db = _older(path)
    ensure_current(db, path, NEXT)
    assert db.pragma("user_version") == KNOWN + 1
    names = [name for name, _ in NEXT]
    assert db.execute("SELECT number, name FROM migrations ORDER BY number").fetchall() == list(enumerate(names, 1))
    backup = path.with_name(f"store.db.backup-v{KNOWN}")
    assert other_copies(path) == [backup]
    assert numbers(SqliteStore(backup)) == [1]


@POSIX
def test_a_backup_is_for_its_owner_alone(path: Path) -> None:
    ensure_current(_older(path), path, NEXT)
    assert mode(path.with_name(f"store.db.backup-v{KNOWN}")) == 0o600


def test_a_migration_that_fails_changes_nothing(path: Path) -> None:
    db = _older(path)
    broken = (*NEXT, ("does not work", "CREATE TABLE sessions(x)"))
    with pytest.raises(apsw.SQLError):
        ensure_current(db, path, broken)
    db.close()
    assert numbers(SqliteStore(path)) == [1]


def test_a_backup_never_replaces_another(path: Path) -> None:
    db = _older(path)
    first = path.with_name(f"store.db.backup-v{KNOWN}")
    first.write_bytes(b"older")
    ensure_current(db, path, NEXT)
    assert [file.name for file in other_copies(path)] == [first.name, f"{first.name}-2"]
    assert first.read_bytes() == b"older"


def test_a_store_from_before_the_index_of_words_gets_one(path: Path) -> None:
    ensure_file(path)
    db = apsw.Connection(str(path))
    ensure_current(db, path, MIGRATIONS[:1])
    db.close()
    store = SqliteStore(path)
    store.put_words(KEY, {1: ["rope"]})
    assert store.find_words(KEY, ["rope"], 10) == [Postings("rope", 1, (1,))]
    assert [file.name for file in other_copies(path)] == ["store.db.backup-v1"]


def test_a_migration_may_be_a_function(path: Path) -> None:
    db = _older(path)
    ensure_current(db, path, (*MIGRATIONS, ("by hand", lambda db: db.execute("UPDATE entries SET format = 'new'"))))
    assert db.execute("SELECT format FROM entries").fetchall() == [("new",)]


def test_a_current_store_is_not_migrated_again(path: Path) -> None:
    db = _older(path)
    ensure_current(db, path)
    assert other_copies(path) == []


#: A store as each schema's own Clew wrote it: one session with a long output, a rule, and a pack that was handed out.
RELEASED = Path(__file__).parent / "released"


def test_every_schema_has_a_store_that_it_wrote() -> None:
    wanted = {f"schema-{number}.db.gz" for number in range(1, KNOWN + 1)}
    assert {file.name for file in RELEASED.iterdir()} == wanted, "keep a store of the schema before you add another"


@pytest.mark.parametrize("number", range(1, KNOWN + 1))
def test_a_store_of_every_schema_opens_with_all_that_was_in_it(path: Path, number: int) -> None:
    path.write_bytes(gzip.decompress((RELEASED / f"schema-{number}.db.gz").read_bytes()))
    with clew.open(path, config=Config()) as engine:
        session = engine.find("harbour")
        texts = [message.text for message in session.messages()]
        assert texts[:2] == ["You keep a harbour.", "Never touch the lighthouse. Where is the rope?"]
        assert session.recall("m4")[0].text.count("plank-") == 1500
        assert "m5" in session.search("rope boat")[0].messages
        assert [item.text for item in session.pins()] == ["Never touch the lighthouse."]
        session.record([{"role": "user", "content": "Thank you."}], format="anthropic")
        assert "Thank you." in session.pack(None, budget=4_000).text
    backups = [] if number == KNOWN else [f"store.db.backup-v{number}"]
    assert [file.name for file in other_copies(path)] == backups
