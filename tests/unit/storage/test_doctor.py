"""Checks, copies and repairs of a store's file."""

from __future__ import annotations

import hashlib
import os
import random
import stat
from pathlib import Path

import apsw
import pytest

from clew.domain import Entry, Kind, SessionInfo, SessionKey
from clew.errors import NotFound, StoreBusy, StoreDamaged, UsageError
from clew.ports import WORDS
from clew.storage.doctor import backup, backups, compact_file, inspect
from clew.storage.salvage import Salvage, salvage
from clew.storage.schema import MIGRATIONS, ensure_current, ensure_file
from clew.storage.sqlite import SqliteStore

PAGE = 4096
SESSIONS = [SessionKey("acme", "ada", f"session {number}") for number in range(6)]
ENTRIES = 80
SECRET = b"correct horse battery staple"


def body(key: SessionKey, seq: int) -> bytes:
    """About two kilobytes that do not shrink, different for each entry."""
    return f"{key.id} {seq} ".encode() + random.Random(f"{key.id} {seq}").randbytes(2000)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fill(path: Path) -> None:
    store = SqliteStore(path, durability="normal")
    for key in SESSIONS:
        entries = [
            Entry(seq=seq, kind=Kind.MESSAGE, format="clew", body=body(key, seq), message=seq)
            for seq in range(1, ENTRIES + 1)
        ]
        with store.transaction():
            store.append(key, entries)
            store.put_marks(key, {digest(entry.body).encode(): entry.seq for entry in entries})
            store.put_blobs(key, {digest(entry.body): entry.body for entry in entries[:10]})
            store.put_rows(key, "story", {f"{seq:04}": b"row" * 50 for seq in range(50)})
            store.put_rows(key, WORDS, {"": b"up to here"})
            store.put_words(key, {seq: ["every", f"word{seq}"] for seq in range(1, ENTRIES + 1)})
            store.save_session(SessionInfo(key=key, title=key.id, entries=ENTRIES, messages=ENTRIES))
    store.put_values("acme", "ada", "space", {"name": b"value"})
    store.close()


def of_first_schema(path: Path) -> Path:
    """An empty store as the first Clew made it."""
    ensure_file(path)
    db = apsw.Connection(str(path))
    db.pragma("auto_vacuum", "INCREMENTAL")
    ensure_current(db, path, MIGRATIONS[:1])
    db.close()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


def spoil(path: Path, *pages: int) -> None:
    """Writes garbage over pages, which count from 1."""
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(random.Random(page).randbytes(PAGE))


def pages_of(path: Path, table: str) -> list[int]:
    """The pages that hold a table's rows."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    return [page for (page,) in db.execute("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'", (table,))]


def troubles(path: Path) -> list[str]:
    return [check.name for check in inspect(path) if not check.ok]


def contents(path: Path) -> dict[str, object]:
    store = SqliteStore(path)
    found = {
        key.id: (
            store.session(key),
            [(entry.seq, entry.body) for entry in store.entries(key)],
            store.marks(key, [digest(body(key, seq)).encode() for seq in range(1, ENTRIES + 1)]),
            store.blobs(key, [digest(body(key, seq)) for seq in range(1, ENTRIES + 1)]),
            store.rows(key, "story"),
        )
        for key in SESSIONS
    }
    store.close()
    return {**found, "values": store_values(path)}


def store_values(path: Path) -> dict[str, bytes]:
    store = SqliteStore(path)
    try:
        return store.values("acme", "ada", "space")
    finally:
        store.close()


# inspecting


def test_a_sound_store_has_no_troubles(path: Path) -> None:
    checks = {check.name: check.detail for check in inspect(path)}
    assert troubles(path) == []
    assert checks["counts"] == "6 sessions, 480 entries, 480 marks, 60 blobs, 306 projected, 1 small_values"
    assert checks["file mode"] == "0600"


def test_inspecting_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    inspect(path)
    assert path.read_bytes() == before


def test_no_store_is_not_found_and_not_made(tmp_path: Path) -> None:
    for look in (inspect, salvage, compact_file):
        with pytest.raises(NotFound):
            look(tmp_path / "none.db")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_others_may_read_is_a_trouble(path: Path) -> None:
    path.chmod(0o644)
    assert troubles(path) == ["file mode"]


def test_a_file_that_is_no_database_is_a_trouble(path: Path) -> None:
    path.write_bytes(b"nothing of the kind " * 1000)
    assert troubles(path) == ["opens"]


def test_garbage_in_a_page_is_a_trouble(path: Path) -> None:
    spoil(path, pages_of(path, "entries")[3])
    assert "integrity" in troubles(path)


def test_a_body_that_was_changed_on_the_disk_is_a_trouble(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("UPDATE blobs SET body = zeroblob(10), kept = 0 WHERE digest = (SELECT min(digest) FROM blobs)")
    db.execute("UPDATE entries SET body = x'28b52ffd0000', kept = 1 WHERE seq = 7")
    db.close()
    assert troubles(path) == ["entries readable", "blobs readable"]


def test_a_blob_that_is_missing_is_a_trouble(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DELETE FROM blobs WHERE digest = (SELECT min(digest) FROM blobs)")
    db.close()
    assert troubles(path) == ["blobs complete"]


# copies


def test_a_backup_holds_everything_and_is_for_its_owner_alone(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "copy.db"
    store = SqliteStore(path)
    store.put_marks(SESSIONS[0], {b"only in the log": 1})
    backup(path, target)
    assert SqliteStore(target).marks(SESSIONS[0], [b"only in the log"]) == {b"only in the log": 1}
    store.close()
    assert contents(target) == contents(path)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_backup_is_never_written_over_another_file(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "taken"
    target.write_text("mine")
    with pytest.raises(UsageError, match="taken"):
        backup(path, target)
    assert target.read_text() == "mine"


def test_backups_and_damaged_files_are_listed(path: Path) -> None:
    names = ["store.db.backup-v1", "store.db.backup-v1-2", "store.db.damaged-1", "store.db.damaged-1-wal"]
    for name in [*names, "store.db.txt", "other.db.backup-v1", "store.db-journal"]:
        path.with_name(name).write_bytes(b"")
    assert [file.name for file in backups(path)] == names


def test_what_is_deleted_is_not_left_in_any_file(path: Path) -> None:
    doomed = SessionKey("acme", "ada", "doomed")
    compact_file(path)
    store = SqliteStore(path)
    store.append(doomed, [Entry(seq=1, kind=Kind.NOTE, format="clew", body=SECRET)])
    store.put_blobs(doomed, {digest(SECRET): SECRET + os.urandom(20_000)})
    store.put_rows(doomed, "story", {"a": SECRET})
    size = path.stat().st_size
    store.delete_session(doomed)
    compact_file(path)
    assert [file.name for file in path.parent.iterdir() if SECRET in file.read_bytes()] == []
    assert path.stat().st_size <= size
    store.close()


def files_with(folder: Path, content: bytes) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if content in file.read_bytes())


def test_words_that_are_deleted_are_not_left_in_any_file(path: Path) -> None:
    doomed = SessionKey("acme", "ada", "doomed")
    store = SqliteStore(path)
    store.put_words(doomed, {1: ["correcthorse"], 2: ["batterystaple"]})
    # The index leaves out the beginning that a word shares with the one before it.
    assert files_with(path.parent, b"recthorse") == ["store.db-wal"]
    store.delete_session(doomed)
    compact_file(path)
    assert files_with(path.parent, b"recthorse") + files_with(path.parent, b"terystaple") == []
    assert [one.total for one in store.find_words(SESSIONS[0], ["every", "word7"], 10)] == [1, ENTRIES]
    assert troubles(path) == []
    store.close()


def test_a_file_from_before_the_index_of_words_can_be_compacted(tmp_path: Path) -> None:
    compact_file(of_first_schema(tmp_path / "old.db"))


def test_room_is_given_back_after_deleting(path: Path) -> None:
    before = path.stat().st_size
    store = SqliteStore(path)
    for key in SESSIONS[1:]:
        store.delete_session(key)
    compact_file(path)
    assert path.stat().st_size < before / 3
    assert path.with_name("store.db-wal").stat().st_size == 0
    assert len(list(store.entries(SESSIONS[0]))) == ENTRIES
    store.close()


# salvage


def test_salvaging_a_sound_store_keeps_everything(path: Path) -> None:
    before = contents(path)
    file = path.read_bytes()
    assert salvage(path) == Salvage(
        damaged=path.with_name("store.db.damaged-1"),
        sessions_saved=6,
        sessions_lost=0,
        entries_saved=480,
        entries_lost=0,
        blobs_saved=60,
        blobs_lost=0,
    )
    assert contents(path) == before
    assert path.with_name("store.db.damaged-1").read_bytes() == file
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(other.name for other in path.parent.iterdir()) == ["store.db", "store.db.damaged-1"]


def test_damaged_files_are_numbered_and_kept(path: Path) -> None:
    assert [salvage(path).damaged.name for _ in range(2)] == ["store.db.damaged-1", "store.db.damaged-2"]
    assert [file.name for file in backups(path)] == ["store.db.damaged-1", "store.db.damaged-2"]


def test_a_spoiled_page_costs_its_own_entries_and_no_others(path: Path) -> None:
    pages = pages_of(path, "entries")
    spoil(path, pages[10], pages[-1])
    damaged = path.read_bytes()
    report = salvage(path)
    assert 0 < report.entries_lost <= 6
    assert report.entries_saved + report.entries_lost == 480
    assert (report.sessions_saved, report.blobs_saved) == (6, 60)
    assert report.damaged.read_bytes() == damaged
    assert troubles(path) == []
    store = SqliteStore(path)
    for key in SESSIONS:
        assert all(entry.body == body(key, entry.seq) for entry in store.entries(key))


def test_a_salvaged_session_numbers_on_from_what_it_had(path: Path) -> None:
    spoil(path, pages_of(path, "entries")[-1])
    salvage(path)
    store = SqliteStore(path)
    info = store.session(SESSIONS[-1])
    assert info is not None
    assert info.entries == ENTRIES
    assert [entry.seq for entry in store.entries(SESSIONS[-1])][-1] < ENTRIES
    store.append(SESSIONS[-1], [Entry(seq=info.entries + 1, kind=Kind.NOTE, format="clew", body=b"on")])


def test_a_broken_first_page_loses_nothing(path: Path) -> None:
    before = contents(path)
    spoil(path, 1)
    with pytest.raises(StoreDamaged):
        SqliteStore(path)
    report = salvage(path)
    assert (report.entries_saved, report.entries_lost, report.sessions_saved) == (480, 0, 6)
    assert contents(path) == before


def test_a_broken_first_page_of_a_migrated_store_loses_nothing(tmp_path: Path) -> None:
    path = of_first_schema(tmp_path / "store.db")
    fill(path)
    before = contents(path)
    spoil(path, 1)
    salvage(path)
    assert contents(path) == before


def test_a_salvage_leaves_the_index_of_words_to_be_made_anew(path: Path) -> None:
    salvage(path)
    store = SqliteStore(path)
    assert store.find_words(SESSIONS[0], ["every"], 10) == []
    assert store.rows(SESSIONS[0], WORDS) == []
    store.close()


def test_a_damaged_index_of_words_is_a_trouble_and_costs_nothing_else(path: Path) -> None:
    before = contents(path)
    spoil(path, *pages_of(path, "words_data"))
    assert "integrity" in troubles(path)
    assert salvage(path).entries_lost == 0
    assert contents(path) == before
    assert troubles(path) == []


def test_sessions_whose_rows_are_lost_are_made_anew_from_their_entries(path: Path) -> None:
    spoil(path, *pages_of(path, "sessions"))
    report = salvage(path)
    assert (report.sessions_saved, report.sessions_lost, report.entries_saved) == (6, 0, 480)
    store = SqliteStore(path)
    assert store.session(SESSIONS[2]) == SessionInfo(key=SESSIONS[2], entries=ENTRIES, messages=ENTRIES)


def test_blobs_that_cannot_be_read_are_counted_as_lost(path: Path) -> None:
    spoil(path, pages_of(path, "blobs")[5])
    report = salvage(path)
    assert report.blobs_lost > 0
    assert report.blobs_saved + report.blobs_lost == 60
    assert troubles(path) == []


def test_blobs_whose_users_are_forgotten_stay_readable(path: Path) -> None:
    spoil(path, *pages_of(path, "blob_uses"))
    assert salvage(path).blobs_saved == 60
    store = SqliteStore(path)
    wanted = digest(body(SESSIONS[3], 4))
    assert store.blobs(SESSIONS[3], [wanted]) == {wanted: body(SESSIONS[3], 4)}


def test_a_file_cut_short_keeps_what_came_before(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    report = salvage(path)
    assert report.entries_saved > 100
    assert troubles(path) == []


@pytest.mark.parametrize("seed", range(12))
def test_random_garbage_never_stops_a_salvage(path: Path, seed: int) -> None:
    count = path.stat().st_size // PAGE
    chance = random.Random(seed)
    spoil(path, *chance.sample(range(1, count + 1), chance.choice((1, 5, count // 10, count // 2))))
    damaged = path.read_bytes()
    report = salvage(path)
    assert report.damaged.read_bytes() == damaged
    assert troubles(path) == []
    store = SqliteStore(path)
    for info in store.sessions("acme", "ada"):
        assert all(entry.body == body(info.key, entry.seq) for entry in store.entries(info.key))


def test_a_file_that_never_was_a_store_is_set_aside(path: Path) -> None:
    path.write_bytes(b"nothing of the kind " * 1000)
    report = salvage(path)
    assert (report.sessions_saved, report.entries_saved, report.blobs_saved) == (0, 0, 0)
    assert report.damaged.read_bytes() == b"nothing of the kind " * 1000
    assert troubles(path) == []


def test_what_is_only_in_the_log_is_saved_too(path: Path) -> None:
    store = SqliteStore(path)
    store.put_marks(SESSIONS[0], {b"only in the log": 1})
    copy = path.with_name("copy.db")
    for part in ("", "-wal"):
        copy.with_name(copy.name + part).write_bytes(path.with_name(path.name + part).read_bytes())
    store.close()
    salvage(copy)
    assert SqliteStore(copy).marks(SESSIONS[0], [b"only in the log"]) == {b"only in the log": 1}


def test_a_store_that_is_open_elsewhere_is_not_pulled_away(path: Path) -> None:
    store = SqliteStore(path)
    store.session(SESSIONS[0])
    with pytest.raises(StoreBusy, match="another process"):
        salvage(path)
    store.close()
    assert sorted(file.name for file in path.parent.iterdir()) == ["store.db"]
