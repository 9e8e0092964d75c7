"""What a thread remembers of a store: it is read once, and never older than what anybody has committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey
from clew.storage.sqlite import SqliteStore

KEY = SessionKey("acme", "ada", "one")
INFO = SessionInfo(key=KEY, created=1.0)

Write = Callable[[SqliteStore, int], None]
Read = Callable[[SqliteStore], Any]


def entry(seq: int, message: int = 0, size: int = 4) -> Entry:
    return Entry(seq=seq, kind=EntryKind.MESSAGE, format="clew", body=b"b" * size, message=message or seq)


def save(store: SqliteStore, at: int) -> None:
    store.save_session(replace(INFO, entries=at))


def append(store: SqliteStore, at: int) -> None:
    store.append(KEY, [entry(at)])


def continue_first(store: SqliteStore, at: int) -> None:
    store.append(KEY, [entry(at, message=1)])


def append_long(store: SqliteStore, at: int) -> None:
    store.append(KEY, [entry(at, size=1 << 15)])


def append_many(store: SqliteStore, at: int) -> None:
    store.append(KEY, [entry(at * 1000 + one) for one in range(200)])


def put(store: SqliteStore, at: int) -> None:
    store.put_rows(KEY, "p", {"a": b"%d" % at, "b": b"same"})


def put_many(store: SqliteStore, at: int) -> None:
    store.put_rows(KEY, "p", {"a": b"%d" % at} | {f"b{one}": b"same" for one in range(200)})


def clear(store: SqliteStore, at: int) -> None:
    store.put_rows(KEY, "p", {f"a{at}": b""})
    if at == 2:
        store.clear_rows(KEY, "p")


def put_value(store: SqliteStore, at: int) -> None:
    store.put_values("acme", "ada", "one", {"a": b"%d" % at})


READS: dict[str, Read] = {
    "session": lambda store: store.session(KEY),
    "entries": lambda store: list(store.entries(KEY)),
    "entries_of": lambda store: list(store.entries_of(KEY, 1, 3)),
    "row": lambda store: store.row(KEY, "p", "a"),
    "rows": lambda store: store.rows(KEY, "p"),
    "values": lambda store: store.values("acme", "ada", "one"),
}
WRITES: dict[Write, tuple[str, ...]] = {
    save: ("session",),
    append: ("entries", "entries_of"),
    continue_first: ("entries", "entries_of"),
    append_long: ("entries", "entries_of"),
    append_many: ("entries",),
    put: ("row", "rows"),
    put_many: ("row", "rows"),
    clear: ("rows",),
    put_value: ("values",),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(path)
    yield opened
    opened.close()


def everything(store: SqliteStore) -> dict[str, Any]:
    return {name: read(store) for name, read in READS.items()}


def in_another_thread(work: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


@pytest.mark.parametrize("write", WRITES)
def test_what_another_process_or_thread_writes_is_read_at_once(store: SqliteStore, path: Path, write: Write) -> None:
    other = SqliteStore(path)
    write(store, 1)
    before = everything(store)
    for at, work in ((2, lambda: write(other, 2)), (3, lambda: in_another_thread(lambda: write(store, 3)))):
        work()
        now = everything(store)
        assert now == everything(SqliteStore(path)), at
        assert {name for name in now if now[name] != before[name]} == set(WRITES[write])
        before = now


@pytest.mark.parametrize("write", WRITES)
def test_what_was_undone_is_not_remembered(store: SqliteStore, write: Write) -> None:
    write(store, 1)
    before = everything(store)
    with store.transaction():
        with suppress(ZeroDivisionError), store.transaction():
            write(store, 2)
            assert everything(store) != before
            raise ZeroDivisionError
        assert everything(store) == before


def test_what_was_read_or_written_is_not_read_again(store: SqliteStore) -> None:
    for write in (save, append, put, put_value):
        write(store, 1)
    first = everything(store)
    seen: list[str] = []
    store._database.db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda about: seen.append(about["sql"]))
    append(store, 2)
    assert [text for text in seen if text.startswith("SELECT")] == []
    assert everything(store) == first | {"entries": [entry(1), entry(2)], "entries_of": [entry(1), entry(2)]}
    assert {text.split()[0] for text in seen if "FROM entries" not in text} <= {"PRAGMA", "BEGIN", "INSERT", "COMMIT"}


def test_a_range_is_read_again_only_where_a_row_of_it_was_written(store: SqliteStore) -> None:
    store.put_rows(KEY, "p", {"a/1": b"1", "b/1": b"1"})
    ranges: list[dict[str, Any]] = [
        {"start": "a/", "stop": "a/~"},
        {"start": "b/", "stop": "b/~"},
        {"start": "b/", "last": 1},
    ]
    for one in ranges:
        store.rows(KEY, "p", **one)
    seen: list[str] = []
    store._database.db.trace_v2(apsw.SQLITE_TRACE_STMT, lambda about: seen.append(about["sql"]))
    store.put_rows(KEY, "p", {"b/2": b"2"})
    found = [[name for name, _ in store.rows(KEY, "p", **one)] for one in ranges]
    assert found == [["a/1"], ["b/1", "b/2"], ["b/2"]]
    assert len([text for text in seen if text.startswith("SELECT")]) == 2


def test_a_steady_block_may_be_given_what_was_read_before(store: SqliteStore, path: Path) -> None:
    put(store, 1)
    with store.steady():
        put(SqliteStore(path), 2)
        assert store.row(KEY, "p", "a") == b"1"
        with store.transaction():
            assert store.row(KEY, "p", "a") == b"2"
    assert store.row(KEY, "p", "a") == b"2"


def test_a_deleted_session_is_forgotten(store: SqliteStore) -> None:
    for write in (save, append, put):
        write(store, 1)
    everything(store)
    store.delete_session(KEY)
    assert {name for name, found in everything(store).items() if found} == set()


def test_it_does_not_grow_without_end(store: SqliteStore) -> None:
    for at in range(200):
        store.put_rows(KEY, "p", {f"{at}.{one}": b"" for one in range(20)})
    assert len(store._database.memory.session(KEY)) <= 2100
