"""Every promise of the Store protocol, held against every store."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from clew.domain import Entry, EntryKind, SessionInfo, SessionKey, Usage
from clew.errors import StoreBusy, VersionConflict
from clew.ports import Gaps, Store
from clew.storage.stores import open_store
from tests.effort import THOROUGH

#: More than a statement of SQLite takes, which is 32,766.
MANY = 100_000 if THOROUGH else 35_000
KEY = SessionKey("acme", "ada", "one")
OTHERS = [
    SessionKey("acme", "ada", "two"),
    SessionKey("acme", "bob", "one"),
    SessionKey("zeta", "ada", "one"),
]
ODD_NAMES = ["", "a", "a\x00b", "a\x00", "Ünïcode", "日本", "\U0001f9f6", "\udcff", "z'\"; DROP TABLE", "%_*"]

Opener = Callable[[], Store]


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    url = ":memory:" if request.param == "memory" else str(tmp_path / "store.db")
    opened: list[Store] = []

    def open_one(busy_timeout_seconds: float = 15.0) -> Store:
        opened.append(open_store(url, busy_timeout_seconds=busy_timeout_seconds))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(opener: Opener) -> Store:
    return opener()


def entry(seq: int, *, message: int | None = None, body: bytes = b"body", **more: object) -> Entry:
    number = seq if message is None else message
    return Entry(seq=seq, kind=EntryKind.MESSAGE, format="clew", body=body, message=number, **more)


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def blobs_of(*bodies: bytes) -> dict[str, bytes]:
    return {digest(body): body for body in bodies}


def fill(store: Store, key: SessionKey, label: bytes) -> None:
    store.save_session(SessionInfo(key=key, title=label.decode(), entries=2, messages=2))
    store.append(key, [entry(1, body=label), entry(2, body=label * 2)])
    store.put_marks(key, {b"mark": len(label), label: 1})
    store.put_blobs(key, blobs_of(b"shared", label))
    store.put_rows(key, "story", {"a": label, "b": label * 2})


def contents(store: Store, key: SessionKey) -> dict[str, object]:
    """All that can be read under a key."""
    digests = store.find_blobs(key, "")
    return {
        "session": store.session(key),
        "entries": list(store.entries(key)),
        "of": list(store.entries_of(key, 1, 10)),
        "marks": store.marks(key, [b"mark", b"first", b"second", b"other"]),
        "blobs": store.blobs(key, digests),
        "rows": store.rows(key, "story"),
        "values": store.values(key.tenant, key.user, "space"),
    }


class Boom(Exception):
    pass


@contextmanager
def undone(store: Store) -> Iterator[None]:
    """A transaction that raises when its block is done."""
    with suppress(Boom), store.transaction():
        yield
        raise Boom


# sessions


def test_a_session_that_was_never_saved_is_none(store: Store) -> None:
    assert store.session(KEY) is None
    assert store.sessions("acme", "ada") == []


def test_a_session_comes_back_field_by_field(store: Store) -> None:
    info = SessionInfo(
        key=KEY,
        title="Tïtle\x00",
        client="claude-code",
        cwd="/home/\udcff/x",
        project="p",
        source="s",
        model="m",
        window=200_000,
        created=1.25,
        updated=2.5,
        version=3,
        entries=4,
        messages=5,
        tail="t",
        usage=Usage(1, 2, 3, 4),
        named=True,
    )
    store.save_session(info)
    assert store.session(KEY) == info
    assert store.sessions("acme", "ada") == [info]


def test_saving_a_session_again_replaces_it(store: Store) -> None:
    store.save_session(SessionInfo(key=KEY, title="before", updated=1))
    after = SessionInfo(key=KEY, title="after", updated=2)
    store.save_session(after)
    assert store.sessions("acme", "ada") == [after]


def test_sessions_are_listed_newest_first_then_by_id(store: Store) -> None:
    infos = [
        SessionInfo(key=KEY._replace(id=name), updated=at) for name, at in [("a", 1), ("b", 3), ("c", 2), ("d", 2)]
    ]
    for info in infos:
        store.save_session(info)
    assert [info.key.id for info in store.sessions("acme", "ada")] == ["b", "d", "c", "a"]


def test_sessions_are_listed_for_one_tenant_and_user_only(store: Store) -> None:
    for key in [KEY, *OTHERS]:
        store.save_session(SessionInfo(key=key))
    assert [info.key for info in store.sessions("acme", "ada")] == [OTHERS[0], KEY]
    assert [info.key for info in store.sessions("zeta", "ada")] == [OTHERS[2]]


# the ledger


def test_sessions_are_listed_for_all_users_of_a_tenant_and_by_id(store: Store) -> None:
    keys = [SessionKey("t", "u", "s"), SessionKey("t", "v", "s"), SessionKey("t", "v", "z"), SessionKey("o", "u", "s")]
    for at, key in enumerate(keys):
        store.save_session(SessionInfo(key=key, updated=float(at)))
    assert [info.key for info in store.sessions("t")] == [keys[2], keys[1], keys[0]]
    assert [info.key for info in store.sessions("t", id="s")] == [keys[1], keys[0]]
    assert [info.key for info in store.sessions("t", "v", id="s")] == [keys[1]]


def test_entries_come_back_in_order_and_whole(store: Store) -> None:
    given = [
        Entry(seq=1, kind=EntryKind.NOTE, format="codex", body=b""),
        Entry(seq=2, kind=EntryKind.MESSAGE, format="openai-chat", body=b"\x00\xff" * 9, message=1, at=12.5),
        Entry(seq=3, kind=EntryKind.EDIT, format="clew", body=b"long and alike " * 500, message=2, replaces=1, at=0.0),
    ]
    store.append(KEY, given)
    assert list(store.entries(KEY)) == given


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 4096, 1_000_000])
def test_bodies_of_any_size_come_back(store: Store, size: int) -> None:
    noise = hashlib.shake_128(b"noise").digest(size)
    store.append(KEY, [entry(1, body=noise), entry(2, body=b"a" * size)])
    assert [found.body for found in store.entries(KEY)] == [noise, b"a" * size]


def test_entries_are_read_between_two_numbers(store: Store) -> None:
    store.append(KEY, [entry(seq) for seq in range(1, 8)])
    assert [found.seq for found in store.entries(KEY, after=2, until=5)] == [3, 4, 5]
    assert [found.seq for found in store.entries(KEY, after=5)] == [6, 7]
    assert [found.seq for found in store.entries(KEY, until=100)] == [1, 2, 3, 4, 5, 6, 7]
    assert list(store.entries(KEY, after=7)) == []
    assert list(store.entries(KEY, after=5, until=2)) == []


def test_a_session_without_entries_reads_as_none(store: Store) -> None:
    assert list(store.entries(KEY)) == []
    assert list(store.entries_of(KEY, 1, 5)) == []


def test_a_number_that_is_taken_is_a_conflict(store: Store) -> None:
    store.append(KEY, [entry(1), entry(2)])
    with pytest.raises(VersionConflict):
        store.append(KEY, [entry(2, body=b"other")])
    with pytest.raises(VersionConflict):
        store.append(KEY, [entry(1)])
    assert [found.body for found in store.entries(KEY)] == [b"body", b"body"]


def test_entries_that_conflict_are_refused_together(store: Store) -> None:
    store.append(KEY, [entry(1)])
    for bad in ([entry(2), entry(2)], [entry(3), entry(2)], [entry(1), entry(2)]):
        with pytest.raises(VersionConflict):
            store.append(KEY, bad)
    assert [found.seq for found in store.entries(KEY)] == [1]


def test_a_conflict_leaves_the_rest_of_a_transaction_alone(store: Store) -> None:
    with store.transaction():
        store.append(KEY, [entry(1)])
        with pytest.raises(VersionConflict):
            store.append(KEY, [entry(2), entry(1)])
        store.append(KEY, [entry(2)])
    assert [found.seq for found in store.entries(KEY)] == [1, 2]


def test_appending_nothing_is_fine(store: Store) -> None:
    store.append(KEY, [])
    assert list(store.entries(KEY)) == []


def test_reading_goes_on_while_others_append(store: Store) -> None:
    store.append(KEY, [entry(seq) for seq in range(1, 1202)])
    seen = []
    for found in store.entries(KEY):
        seen.append(found.seq)
        if found.seq % 100 == 0:
            store.append(KEY, [entry(1201 + found.seq // 100)])
    assert seen == list(range(1, 1202))


def test_reading_stops_when_the_session_is_deleted(store: Store) -> None:
    store.append(KEY, [entry(seq) for seq in range(1, 1202)])
    reader = store.entries(KEY)
    assert next(reader).seq == 1
    store.delete_session(KEY)
    assert len(list(reader)) < 1200
    assert list(store.entries(KEY)) == []


def test_entries_are_found_by_the_messages_they_belong_to(store: Store) -> None:
    numbers = [1, 0, 2, 1, 3, 2, 4, 0]
    store.append(KEY, [entry(seq, message=message) for seq, message in enumerate(numbers, 1)])
    assert [(e.seq, e.message) for e in store.entries_of(KEY, 1, 2)] == [(1, 1), (3, 2), (4, 1), (6, 2)]
    assert [e.seq for e in store.entries_of(KEY, 3, 3)] == [5]
    assert [e.seq for e in store.entries_of(KEY, 0, 9)] == [1, 3, 4, 5, 6, 7]
    assert list(store.entries_of(KEY, 5, 9)) == []
    assert list(store.entries_of(KEY, 3, 2)) == []


def test_entries_of_many_messages_are_found(store: Store) -> None:
    given = [entry(seq, message=seq % 700 + 1) for seq in range(1, 1701)]
    store.append(KEY, given)
    assert list(store.entries_of(KEY, 1, 700)) == given


# marks


def test_marks_say_which_names_are_known(store: Store) -> None:
    store.put_marks(KEY, {b"": 0, b"a": 1, b"a\x00b": 2, b"\xff\xfe": -3, b"big": 2**62})
    assert store.marks(KEY, [b"a", b"nobody"]) == {b"a": 1}
    assert store.marks(KEY, {b"", b"a\x00b", b"\xff\xfe", b"big"}) == {
        b"": 0,
        b"a\x00b": 2,
        b"\xff\xfe": -3,
        b"big": 2**62,
    }
    assert store.marks(KEY, []) == {}


def test_a_mark_put_again_stands_for_the_new_number(store: Store) -> None:
    store.put_marks(KEY, {b"a": 1, b"b": 2})
    store.put_marks(KEY, {b"a": 3})
    assert store.marks(KEY, [b"a", b"b"]) == {b"a": 3, b"b": 2}


def test_any_number_of_marks_in_one_call(store: Store) -> None:
    marks = {b"%d" % number: number for number in range(MANY)}
    store.put_marks(KEY, marks)
    assert store.marks(KEY, marks.keys()) == marks


# blobs


def test_blobs_come_back_by_their_digest(store: Store) -> None:
    given = blobs_of(b"", b"small", b"\x00" * 10_000, hashlib.shake_128(b"x").digest(5000))
    store.put_blobs(KEY, given)
    assert store.blobs(KEY, given.keys()) == given
    assert store.blobs(KEY, [digest(b"small"), digest(b"nobody")]) == blobs_of(b"small")
    assert store.blobs(KEY, []) == {}


def test_a_blob_may_be_put_again(store: Store) -> None:
    store.put_blobs(KEY, blobs_of(b"one"))
    store.put_blobs(KEY, blobs_of(b"one", b"two"))
    assert store.blobs(KEY, store.find_blobs(KEY, "")) == blobs_of(b"one", b"two")


def test_a_blob_is_read_by_the_sessions_that_put_it(store: Store) -> None:
    store.put_blobs(KEY, blobs_of(b"mine"))
    for other in OTHERS:
        assert store.blobs(other, [digest(b"mine")]) == {}
        assert store.find_blobs(other, "") == []


def test_blobs_are_found_by_how_their_digest_begins(store: Store) -> None:
    given = blobs_of(*(b"%d" % number for number in range(60)))
    store.put_blobs(KEY, given)
    in_order = sorted(given)
    assert store.find_blobs(KEY, "") == in_order[:10]
    prefix = in_order[7][:5]
    assert store.find_blobs(KEY, prefix) == [name for name in in_order if name.startswith(prefix)]
    assert store.find_blobs(KEY, in_order[7]) == [in_order[7]]
    assert store.find_blobs(KEY, "no hex") == []


def test_a_shared_blob_stays_until_its_last_session_goes(store: Store) -> None:
    one, two = KEY, OTHERS[0]
    store.put_blobs(one, blobs_of(b"shared", b"only one"))
    store.put_blobs(two, blobs_of(b"shared"))
    store.delete_session(one)
    assert store.blobs(two, [digest(b"shared")]) == blobs_of(b"shared")
    assert store.blobs(one, [digest(b"shared"), digest(b"only one")]) == {}
    store.delete_session(two)
    assert store.blobs(two, [digest(b"shared")]) == {}


def test_a_deleted_blob_can_come_back(store: Store) -> None:
    store.put_blobs(KEY, blobs_of(b"again"))
    store.delete_session(KEY)
    store.put_blobs(KEY, blobs_of(b"again"))
    assert store.blobs(KEY, [digest(b"again")]) == blobs_of(b"again")


def test_any_number_of_blobs_in_one_call(store: Store) -> None:
    given = blobs_of(*(b"%d" % number for number in range(40_000)))
    store.put_blobs(KEY, given)
    assert store.blobs(KEY, given.keys()) == given


# rows of projections


def test_a_row_is_read_by_its_name(store: Store) -> None:
    store.put_rows(KEY, "story", {"a": b"", "b": b"x" * 5000})
    assert store.row(KEY, "story", "a") == b""
    assert store.row(KEY, "story", "b") == b"x" * 5000
    assert store.row(KEY, "story", "c") is None
    assert store.row(KEY, "other", "a") is None


def test_rows_are_replaced_and_removed(store: Store) -> None:
    store.put_rows(KEY, "story", {"a": b"1", "b": b"2", "c": b"3"})
    store.put_rows(KEY, "story", {"a": b"new", "b": None, "nobody": None})
    assert store.rows(KEY, "story") == [("a", b"new"), ("c", b"3")]


def test_rows_come_in_order_of_their_names(store: Store) -> None:
    store.put_rows(KEY, "story", {name: name.encode("utf-8", "surrogatepass") for name in ODD_NAMES})
    assert store.rows(KEY, "story") == [(name, name.encode("utf-8", "surrogatepass")) for name in sorted(ODD_NAMES)]
    assert all(store.row(KEY, "story", name) is not None for name in ODD_NAMES)


def test_rows_are_read_from_a_start_up_to_a_stop(store: Store) -> None:
    rows = [(f"{number:04}", b"%d" % number) for number in range(20)]
    store.put_rows(KEY, "story", dict(reversed(rows)))
    assert store.rows(KEY, "story", start="0003", stop="0006") == rows[3:6]
    assert store.rows(KEY, "story", start="00035") == rows[4:]
    assert store.rows(KEY, "story", stop="0002") == rows[:2]
    assert store.rows(KEY, "story", stop="") == []
    assert store.rows(KEY, "story", start="5", stop="3") == []


def test_only_the_last_rows_are_read_when_asked(store: Store) -> None:
    rows = [(f"{number:04}", b"%d" % number) for number in range(20)]
    store.put_rows(KEY, "story", dict(rows))
    assert store.rows(KEY, "story", last=3) == rows[-3:]
    assert store.rows(KEY, "story", start="0003", stop="0006", last=2) == rows[4:6]
    assert store.rows(KEY, "story", start="0003", stop="0006", last=9) == rows[3:6]
    assert store.rows(KEY, "story", last=0) == []


def test_clearing_takes_the_rows_of_one_projection(store: Store) -> None:
    for projection in ("story", "map"):
        store.put_rows(KEY, projection, {"a": b"1"})
    store.put_rows(OTHERS[0], "story", {"a": b"2"})
    store.clear_rows(KEY, "story")
    assert store.rows(KEY, "story") == []
    assert store.rows(KEY, "map") == [("a", b"1")]
    assert store.rows(OTHERS[0], "story") == [("a", b"2")]


def test_any_number_of_rows_in_one_call(store: Store) -> None:
    rows = {f"{number:06}": b"%d" % number for number in range(MANY)}
    store.put_rows(KEY, "story", rows)
    assert store.rows(KEY, "story") == list(rows.items())
    store.put_rows(KEY, "story", dict.fromkeys(rows))
    assert store.rows(KEY, "story") == []


# values


def test_values_are_kept_by_space_and_name(store: Store) -> None:
    store.put_values("acme", "ada", "cursors", {"a": b"1", "b": b"", "c": b"3"})
    store.put_values("acme", "ada", "counts", {"a": b"other"})
    assert store.values("acme", "ada", "cursors") == {"a": b"1", "b": b"", "c": b"3"}
    assert store.values("acme", "ada", "cursors", ["a", "b", "nobody"]) == {"a": b"1", "b": b""}
    assert store.values("acme", "ada", "cursors", []) == {}
    assert store.values("acme", "ada", "nothing") == {}


def test_values_are_replaced_and_removed(store: Store) -> None:
    store.put_values("acme", "ada", "s", {"a": b"1", "b": b"2"})
    store.put_values("acme", "ada", "s", {"a": b"new", "b": None, "nobody": None})
    assert store.values("acme", "ada", "s") == {"a": b"new"}


def test_values_belong_to_one_tenant_and_user(store: Store) -> None:
    store.put_values("acme", "ada", "s", {"a": b"1"})
    assert store.values("acme", "bob", "s") == {}
    assert store.values("zeta", "ada", "s", ["a"]) == {}


def test_values_may_have_any_name(store: Store) -> None:
    given = {name: name.encode("utf-8", "surrogatepass") for name in ODD_NAMES}
    store.put_values("acme", "ada", "s", given)
    assert store.values("acme", "ada", "s") == given
    assert store.values("acme", "ada", "s", ODD_NAMES) == given


def test_any_number_of_values_in_one_call(store: Store) -> None:
    given = {str(number): b"%d" % number for number in range(MANY)}
    store.put_values("acme", "ada", "s", given)
    assert store.values("acme", "ada", "s", given.keys()) == given


# isolation and deletion


def test_nothing_is_seen_from_another_tenant_user_or_session(store: Store) -> None:
    empty = contents(store, KEY)
    for number, other in enumerate(OTHERS):
        fill(store, other, b"%d" % number)
    assert contents(store, KEY) == empty


def test_deleting_a_session_takes_everything_of_it_and_nothing_else(store: Store) -> None:
    empty = contents(store, KEY)
    for number, key in enumerate([KEY, *OTHERS]):
        fill(store, key, b"session %d" % number)
    before = [contents(store, other) for other in OTHERS]
    store.delete_session(KEY)
    assert contents(store, KEY) == empty
    assert [contents(store, other) for other in OTHERS] == before


def test_a_deleted_session_begins_again_at_one(store: Store) -> None:
    fill(store, KEY, b"first")
    store.delete_session(KEY)
    store.append(KEY, [entry(1, body=b"new")])
    assert [found.body for found in store.entries(KEY)] == [b"new"]


def test_deleting_what_is_not_there_is_fine(store: Store) -> None:
    store.delete_session(KEY)
    assert store.session(KEY) is None


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if name.isprintable() or "\x00" in name])
def test_keys_may_have_any_name(store: Store, name: str) -> None:
    key = SessionKey(name, name, name)
    fill(store, key, b"odd")
    assert [found.body for found in store.entries(key)] == [b"odd", b"oddodd"]
    assert [info.key for info in store.sessions(name, name)] == [key]


# transactions


def test_a_transaction_that_raises_leaves_no_trace(store: Store) -> None:
    fill(store, KEY, b"first")
    before = contents(store, KEY)
    with undone(store):
        store.save_session(SessionInfo(key=KEY, title="second"))
        store.append(KEY, [entry(3), entry(4, message=1)])
        store.put_marks(KEY, {b"mark": 99, b"second": 1})
        store.put_blobs(KEY, blobs_of(b"shared", b"second"))
        store.put_rows(KEY, "story", {"a": b"second", "b": None, "c": b"second"})
        store.clear_rows(KEY, "other")
        store.put_values("acme", "ada", "space", {"a": b"1"})
    assert contents(store, KEY) == before
    store.append(KEY, [entry(3)])


def test_a_deletion_that_raises_leaves_no_trace(store: Store) -> None:
    fill(store, KEY, b"first")
    before = contents(store, KEY)
    with undone(store):
        store.clear_rows(KEY, "story")
        store.delete_session(KEY)
        fill(store, KEY, b"second")
    assert contents(store, KEY) == before


def test_a_transaction_that_raises_leaves_no_new_session(store: Store) -> None:
    empty = contents(store, KEY)
    with undone(store):
        fill(store, KEY, b"first")
    assert contents(store, KEY) == empty
    assert store.sessions("acme", "ada") == []


def test_reads_inside_a_transaction_see_what_was_written_inside(store: Store) -> None:
    with store.transaction():
        fill(store, KEY, b"first")
        inside = contents(store, KEY)
    assert [found.body for found in inside["entries"]] == [b"first", b"firstfirst"]
    assert inside["marks"] == {b"mark": 5, b"first": 1}
    assert contents(store, KEY) == inside


def test_an_inner_transaction_is_undone_with_the_outer(store: Store) -> None:
    with undone(store), store.transaction():
        store.append(KEY, [entry(1)])
    assert list(store.entries(KEY)) == []


def test_an_inner_transaction_that_raises_is_undone_alone(store: Store) -> None:
    with store.transaction():
        store.append(KEY, [entry(1)])
        with undone(store):
            store.append(KEY, [entry(2)])
            store.put_marks(KEY, {b"mark": 1})
        store.append(KEY, [entry(2, body=b"after")])
    assert [found.body for found in store.entries(KEY)] == [b"body", b"after"]
    assert store.marks(KEY, [b"mark"]) == {}


def test_transactions_nest_deeply(store: Store) -> None:
    with store.transaction(), store.transaction(), store.transaction():
        store.append(KEY, [entry(1)])
    assert [found.seq for found in store.entries(KEY)] == [1]


def test_other_threads_see_nothing_of_a_transaction_that_is_undone(store: Store) -> None:
    store.append(KEY, [entry(1)])
    with ThreadPoolExecutor(1) as pool:
        with undone(store):
            store.append(KEY, [entry(2)])
            seen = pool.submit(lambda: [found.seq for found in store.entries(KEY)])
        assert seen.result() == [1]


def test_a_writer_that_waits_too_long_is_told_that_the_store_is_busy(opener: Callable[..., Store]) -> None:
    store = opener(busy_timeout_seconds=0.01)
    with ThreadPoolExecutor(1) as pool, store.transaction():
        store.append(KEY, [entry(1)])
        with pytest.raises(StoreBusy):
            pool.submit(store.put_marks, OTHERS[0], {b"a": 1}).result()
    assert [found.seq for found in store.entries(KEY)] == [1]


def test_a_writer_gets_its_turn_when_the_other_is_done(store: Store) -> None:
    begun = threading.Event()

    def write() -> None:
        begun.set()
        store.append(KEY, [entry(2)])

    with ThreadPoolExecutor(1) as pool:
        with store.transaction():
            waiting = pool.submit(write)
            begun.wait()
            store.append(KEY, [entry(1)])
        waiting.result()
    assert [found.seq for found in store.entries(KEY)] == [1, 2]


def test_threads_that_append_to_one_session_lose_nothing(store: Store) -> None:
    store.save_session(SessionInfo(key=KEY))

    def work(worker: int) -> None:
        for turn in range(25):
            with store.transaction():
                info = store.session(KEY)
                assert info is not None
                seq = info.entries + 1
                store.append(KEY, [entry(seq, body=b"%d %d" % (worker, turn))])
                store.put_marks(KEY, {b"%d %d" % (worker, turn): seq})
                store.save_session(replace(info, entries=seq))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    found = list(store.entries(KEY))
    assert [e.seq for e in found] == list(range(1, 151))
    assert sorted(e.body for e in found) == sorted(b"%d %d" % (w, t) for w in range(6) for t in range(25))
    assert store.marks(KEY, [e.body for e in found]) == {e.body: e.seq for e in found}


# gaps


def test_numbers_that_no_entry_has_are_gaps_until_they_are_restored(store: Store) -> None:
    info = SessionInfo(key=KEY, entries=5, messages=4)
    store.append(KEY, [entry(1), entry(3, message=3), entry(4, message=3)])
    assert store.gaps(info) == Gaps(entries=(2, 5), messages=(2, 4))
    store.restore_entries(KEY, [entry(2), entry(5, message=4)])
    assert not store.gaps(info)
    assert [found.seq for found in store.entries(KEY)] == [1, 2, 3, 4, 5]
    assert [found.seq for found in store.entries_of(KEY, 2, 3)] == [2, 3, 4]


def test_an_entry_that_is_there_is_never_restored_over(store: Store) -> None:
    store.append(KEY, [entry(1), entry(3)])
    with pytest.raises(VersionConflict):
        store.restore_entries(KEY, [entry(2), entry(3, body=b"other")])
    assert [found.body for found in store.entries(KEY)] == [b"body", b"body"]


def test_deleted_entries_are_gaps_and_others_may_take_their_numbers(store: Store) -> None:
    store.append(KEY, [entry(1), entry(2, message=7), entry(3)])
    with suppress(ZeroDivisionError), store.transaction():
        store.delete_entries(KEY, [1, 2])
        assert [found.seq for found in store.entries(KEY)] == [3]
        raise ZeroDivisionError
    store.delete_entries(KEY, [2, 9])
    assert store.gaps(SessionInfo(key=KEY, entries=3)).entries == (2,)
    store.restore_entries(KEY, [entry(2, message=7, body=b"other")])
    assert [found.body for found in store.entries(KEY)] == [b"body", b"other", b"body"]
    assert [found.body for found in store.entries_of(KEY, 7, 7)] == [b"other"]


def test_restored_entries_are_undone_with_their_transaction(store: Store) -> None:
    store.append(KEY, [entry(1), entry(3)])
    with suppress(ZeroDivisionError), store.transaction():
        store.restore_entries(KEY, [entry(2)])
        raise ZeroDivisionError
    assert [found.seq for found in store.entries_of(KEY, 1, 3)] == [1, 3]


def test_a_session_that_is_new_has_no_gaps(store: Store) -> None:
    assert not store.gaps(SessionInfo(key=KEY))


def test_blobs_are_released_by_one_session_and_deleted_by_the_last(store: Store) -> None:
    name = digest(b"shared")
    for key in (KEY, OTHERS[0]):
        store.put_blobs(key, blobs_of(b"shared"))
    store.release_blobs(KEY, [name])
    assert (store.blobs(KEY, [name]), store.find_blobs(KEY, name)) == ({}, [])
    assert store.blobs(OTHERS[0], [name]) == blobs_of(b"shared")
    store.release_blobs(OTHERS[0], [name])
    store.put_blobs(KEY, {})
    assert store.find_blobs(OTHERS[0], name) == []


def test_erasing_what_was_deleted_keeps_the_rest(store: Store) -> None:
    store.append(KEY, [entry(1)])
    store.append(OTHERS[0], [entry(1)])
    store.delete_session(KEY)
    assert store.erase_deleted().left == ""
    assert [found.seq for found in store.entries(OTHERS[0])] == [1]
