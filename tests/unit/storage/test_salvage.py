"""What can still be read of a damaged store is saved."""

from __future__ import annotations

import random
import stat
from pathlib import Path

import orjson
import pytest

from clew.domain import Entry, EntryKind, SessionInfo
from clew.errors import StoreBusy, StoreDamaged
from clew.history.body_blobs import split_body
from clew.ports import MARK, SALVAGED, WORDS
from clew.storage.file_copies import other_copies
from clew.storage.salvage import Salvage, salvage
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.filled_stores import (
    ENTRIES,
    PAGE,
    SESSIONS,
    body,
    contents,
    damage,
    digest,
    fill,
    of_first_schema,
    pages_of,
    spoil,
    troubles,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    fill(path)
    return path


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
    assert [file.name for file in other_copies(path)] == ["store.db.damaged-1", "store.db.damaged-2"]


def test_a_spoiled_page_costs_its_own_entries_and_no_others(path: Path) -> None:
    pages = pages_of(path, "entries")
    spoil(path, pages[10], pages[-1])
    damaged = path.read_bytes()
    report = salvage(path)
    assert 0 < report.entries_lost <= 6
    assert report.entries_saved + report.entries_lost == 480
    assert (report.sessions_saved, report.blobs_saved) == (6, 60)
    assert report.damaged.read_bytes() == damaged
    assert damage(path) == []
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
    store.append(SESSIONS[-1], [Entry(seq=info.entries + 1, kind=EntryKind.NOTE, format="clew", body=b"on")])


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
    assert damage(path) == []


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
    assert troubles(path) == ["blobs complete"]


def test_uses_of_blobs_that_are_lost_are_found_again_in_what_refers_to_them(tmp_path: Path) -> None:
    path, key = tmp_path / "store.db", SESSIONS[0]
    stored, blobs = split_body(orjson.dumps({"text": "long " * 2_000}))
    store = SqliteStore(path)
    store.append(key, [Entry(seq=1, kind=EntryKind.NOTE, format="clew", body=stored)])
    store.put_blobs(key, blobs)
    store.save_session(SessionInfo(key=key, entries=1))
    store.close()
    spoil(path, *pages_of(path, "blob_uses"), *pages_of(path, "blobs"))
    salvage(path)
    assert SqliteStore(path).gaps(SessionInfo(key=key, entries=1)).blobs == tuple(blobs)


def test_a_session_whose_row_is_lost_is_read_from_its_file_again_from_the_beginning(path: Path) -> None:
    store, key = SqliteStore(path), SESSIONS[2]
    cursors = {"/tmp/a.jsonl": orjson.dumps({"session": key.id, "offset": 9}), "/tmp/b.jsonl": b"garbage"}
    store.put_values(key.tenant, key.user, "cursor", cursors)
    store.close()
    spoil(path, *pages_of(path, "sessions"))
    salvage(path)
    store = SqliteStore(path)
    info = store.session(key)
    assert info is not None
    assert info.source == "/tmp/a.jsonl"
    assert list(store.values(key.tenant, key.user, "cursor")) == ["/tmp/b.jsonl"]


def test_what_is_derived_is_made_anew_after_a_salvage(path: Path) -> None:
    salvage(path)
    store = SqliteStore(path)
    assert {store.row(key, MARK, "") for key in SESSIONS} == {SALVAGED}
    assert len(store.rows(SESSIONS[0], "story")) == 50
    spoil(path, pages_of(path, "projected")[0])
    store.close()
    salvage(path)
    assert SqliteStore(path).rows(SESSIONS[0], "story") == []


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
    assert damage(path) == []


@pytest.mark.parametrize("seed", range(12))
def test_random_garbage_never_stops_a_salvage(path: Path, seed: int) -> None:
    count = path.stat().st_size // PAGE
    chance = random.Random(seed)
    spoil(path, *chance.sample(range(1, count + 1), chance.choice((1, 5, count // 10, count // 2))))
    damaged = path.read_bytes()
    report = salvage(path)
    assert report.damaged.read_bytes() == damaged
    assert damage(path) == []
    store = SqliteStore(path)
    for info in store.sessions("acme", "ada"):
        assert all(entry.body == body(info.key, entry.seq) for entry in store.entries(info.key))


def test_a_file_that_never_was_a_store_is_set_aside(path: Path) -> None:
    path.write_bytes(b"nothing of the kind " * 1000)
    report = salvage(path)
    assert (report.sessions_saved, report.entries_saved, report.blobs_saved) == (0, 0, 0)
    assert report.damaged.read_bytes() == b"nothing of the kind " * 1000
    assert damage(path) == []


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
