"""What the SQLite store promises beyond the protocol: its file, its limits, and how it fails."""

from __future__ import annotations

import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey
from clew.errors import (
    ClewError,
    StorageError,
    StoreBusy,
    StoreDamaged,
    StoreFull,
    StoreReadOnly,
    UsageError,
)
from clew.storage.sqlite import SqliteStore
from tests.unit.storage.disks import PowerCuts, Quota, ReadOnlyFile, mounted
from tests.unit.storage.filled_stores import of_first_schema

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


def test_what_was_written_is_there_when_opened_again(path: Path) -> None:
    store = SqliteStore(path)
    store.append(KEY, [entry(1), entry(2)])
    store.close()
    assert numbers(SqliteStore(path)) == [1, 2]


@POSIX
def test_file_and_log_are_for_their_owner_alone(path: Path) -> None:
    before = os.umask(0)
    try:
        store = SqliteStore(path)
        store.append(KEY, [entry(1)])
    finally:
        os.umask(before)
    assert {file.name: mode(file) for file in path.parent.iterdir()} == {
        "store.db": 0o600,
        "store.db-wal": 0o600,
        "store.db-shm": 0o600,
    }


@pytest.mark.parametrize("content", [b"not a database at all\n" * 300, b"x"])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(
        StorageError, match=r"store\.db is no store of Clew's, and is left as it is; name another store"
    ):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_database_that_cannot_be_read_is_refused_and_left_alone(path: Path) -> None:
    content = b"SQLite format 3\x00" + b"\xff" * 5000
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match=r"store\.db is damaged or no database"):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is a folder, and a store is a file; name a file in it"):
        SqliteStore(tmp_path)


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE bookmarks(url)")
    db.close()
    content = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_log_without_its_database_is_not_thrown_away(path: Path) -> None:
    log = path.with_name("store.db-wal")
    log.write_bytes(b"the last transactions")
    with pytest.raises(StoreDamaged, match=r"store\.db-wal"):
        SqliteStore(path)
    assert log.read_bytes() == b"the last transactions"
    assert not path.exists()


def test_a_path_below_a_file_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError):
        SqliteStore(tmp_path / "file" / "store.db")


def test_many_may_open_a_new_store_at_once(path: Path) -> None:
    barrier = threading.Barrier(8)

    def work(number: int) -> None:
        barrier.wait()
        store = SqliteStore(path)
        store.append(KEY._replace(id=str(number)), [entry(1)])
        store.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    store = SqliteStore(path)
    assert [len(list(store.entries(KEY._replace(id=str(number))))) for number in range(8)] == [1] * 8


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteStore(path)
    store.close()
    store.close()
    with pytest.raises(StorageError, match="closed"):
        store.session(KEY)


def test_closing_leaves_one_file(path: Path) -> None:
    store = SqliteStore(path)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda number: store.put_marks(KEY, {b"%d" % number: 1}), range(9)))
        store.close()
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_told_to_open_the_store_itself(path: Path) -> None:
    store = SqliteStore(path)
    child = os.fork()
    if child == 0:
        try:
            store.session(KEY)
        except StorageError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    store.append(KEY, [entry(1)])


def test_a_name_that_is_no_unicode_is_refused_in_a_key(path: Path) -> None:
    with pytest.raises(UsageError, match="Unicode"):
        SqliteStore(path).append(SessionKey("acme", "ada", "\udcff"), [entry(1)])


def test_bodies_that_shrink_are_kept_small(path: Path) -> None:
    store = SqliteStore(path)
    store.append(KEY, [entry(seq, b'{"role": "user", "text": "again and again"}' * 200) for seq in range(1, 201)])
    store.close()
    assert path.stat().st_size < 200 * 43 * 200 // 5


def test_the_log_does_not_grow_while_a_reader_pauses_between_pages(path: Path) -> None:
    store = SqliteStore(path)
    store.append(KEY, [entry(seq) for seq in range(1, 601)])
    reader = store.entries(KEY)
    next(reader)
    db = apsw.Connection(str(path))
    assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall() == [(0, 0, 0)]
    assert len(list(reader)) == 599


def test_a_lock_held_elsewhere_is_busy_after_the_time_is_up(path: Path) -> None:
    store = SqliteStore(path, busy_timeout_seconds=0.01)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match=r"store\.db is in use.*try again"):
        store.append(KEY, [entry(1)])
    assert numbers(store) == []
    other.execute("ROLLBACK")
    store.append(KEY, [entry(1)])
    assert numbers(store) == [1]


def test_a_lock_that_is_released_in_time_is_waited_for(path: Path) -> None:
    store = SqliteStore(path)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    begun = threading.Event()

    def write() -> None:
        begun.set()
        store.append(KEY, [entry(1)])

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(write)
        begun.wait()
        other.execute("COMMIT")
        waiting.result()
    assert numbers(store) == [1]


def test_a_store_on_a_read_only_disk_is_read_and_says_so_when_it_is_written(path: Path) -> None:
    store = SqliteStore(path)
    store.append(KEY, [entry(1)])
    store.close()
    with mounted(ReadOnlyFile) as disk:
        store = SqliteStore(path, vfs=disk)
        assert numbers(store) == [1]
        with pytest.raises(StoreReadOnly, match=r"store\.db is read-only"):
            store.append(KEY, [entry(2)])
        assert numbers(store) == [1]
        store.close()


def test_an_old_store_on_a_read_only_disk_is_told(tmp_path: Path) -> None:
    path = of_first_schema(tmp_path / "store.db")
    with mounted(ReadOnlyFile) as disk, pytest.raises(StoreReadOnly, match="schema 1 has to be brought to 2"):
        SqliteStore(path, vfs=disk)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder where nobody may write")
def test_a_folder_that_cannot_be_written_is_told() -> None:
    with pytest.raises(StorageError, match=r"/proc/self/store\.db"):
        SqliteStore("/proc/self/store.db")


def test_a_disk_that_turns_read_only_is_told_when_writing(path: Path) -> None:
    quota = Quota(apsw.ReadOnlyError)
    with mounted(quota.file) as disk:
        store = SqliteStore(path, vfs=disk)
        quota.left = 0
        with pytest.raises(StoreReadOnly):
            store.append(KEY, [entry(1)])
        quota.left = None
        store.close()


def test_a_disk_that_fails_is_told(path: Path) -> None:
    quota = Quota(apsw.IOError)
    with mounted(quota.file) as disk:
        store = SqliteStore(path, vfs=disk)
        quota.left = 0
        with pytest.raises(StorageError, match="check the disk"):
            store.append(KEY, [entry(1)])
        quota.left = None
        store.append(KEY, [entry(1)])
        assert numbers(store) == [1]
        store.close()


@pytest.mark.parametrize("room", [0, 30_000, 200_000])
def test_a_full_disk_undoes_the_transaction_and_no_more(path: Path, room: int) -> None:
    quota = Quota()
    noise = [os.urandom(50_000) for _ in range(20)]
    with mounted(quota.file) as disk:
        store = SqliteStore(path, vfs=disk)
        store.append(KEY, [entry(1)])
        quota.left = room
        with pytest.raises(StoreFull, match=r"no space left for .*store\.db"), store.transaction():
            _write_much(store, noise)
        assert numbers(store) == [1]
        quota.left = None
        store.append(KEY, [entry(2)])
        assert numbers(store) == [1, 2]
        store.close()
    assert numbers(SqliteStore(path)) == [1, 2]


def _write_much(store: SqliteStore, bodies: list[bytes]) -> None:
    store.put_marks(KEY, {b"%d" % number: number for number in range(5000)})
    for seq, body in enumerate(bodies, 2):
        store.append(KEY, [entry(seq, body)])


def test_an_error_that_is_passed_over_does_not_leave_half_a_transaction(path: Path) -> None:
    store = SqliteStore(path)
    with pytest.raises(StorageError, match="an earlier error undid it"), store.transaction():
        _write_over_an_error(store)
    assert numbers(store) == []
    store.append(KEY, [entry(1)])
    assert numbers(store) == [1]


def _write_over_an_error(store: SqliteStore) -> None:
    store.append(KEY, [entry(1)])
    with pytest.raises(ClewError):
        store.put_blobs(KEY, {"00": b"fine", "\udcff": b"no name"})
    store.append(KEY, [entry(2)])


def test_an_error_inside_an_inner_transaction_undoes_that_alone(path: Path) -> None:
    store = SqliteStore(path)
    with store.transaction():
        store.append(KEY, [entry(1)])
        with pytest.raises(UsageError), store.transaction():
            store.put_blobs(KEY, {"00": b"fine", "\udcff": b"no name"})
        store.append(KEY, [entry(2)])
    assert numbers(store) == [1, 2]
    assert store.find_blobs(KEY, "") == []


def test_a_damaged_page_is_told_when_it_is_read(path: Path) -> None:
    store = SqliteStore(path)
    store.append(KEY, [entry(seq, os.urandom(1000)) for seq in range(1, 200)])
    store.close()
    content = bytearray(path.read_bytes())
    content[5 * 4096 :] = b"\xff" * (len(content) - 5 * 4096)
    path.write_bytes(content)
    store = SqliteStore(path)
    with pytest.raises(StoreDamaged, match=r"store\.db is damaged"):
        list(store.entries(KEY))


def _survivors(files: dict[str, bytes], folder: Path) -> list[tuple[int, bool, bool]]:
    """Each transaction found after a power cut: its number, and whether its mark and its row are there."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    store = SqliteStore(folder / "store.db")
    found = numbers(store)
    marks = store.marks(KEY, [b"%d" % seq for seq in found])
    rows = dict(store.rows(KEY, "story"))
    store.close()
    return [(seq, b"%d" % seq in marks, f"{seq:06}" in rows) for seq in found]


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_power_cut_takes_no_transaction_that_was_done_and_never_half_of_one(tmp_path: Path, durability: str) -> None:
    power = PowerCuts(seed=7)
    done = 0
    cuts: list[tuple[int, dict[str, bytes]]] = []

    def maybe_cut() -> None:
        if power.random.random() < 0.02:
            cuts.append((done, power.cut()))

    with mounted(power.file, power.forget) as disk:
        store = SqliteStore(tmp_path / "store.db", durability=durability, vfs=disk)
        power.on_write = maybe_cut
        for seq in range(1, 151):
            with store.transaction():
                store.append(KEY, [entry(seq, power.random.randbytes(power.random.randrange(9000)))])
                store.put_marks(KEY, {b"%d" % seq: seq})
                store.put_rows(KEY, "story", {f"{seq:06}": b"x" * 500})
                store.save_session(SessionInfo(key=KEY, entries=seq))
            done = seq
        store.close()

    assert len(cuts) > 10
    for number, (acknowledged, files) in enumerate(cuts):
        found = _survivors(files, tmp_path / f"cut-{number}")
        assert found == [(seq, True, True) for seq in range(1, len(found) + 1)]
        assert durability == "normal" or len(found) >= acknowledged
