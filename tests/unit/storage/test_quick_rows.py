"""Rows that are read from the file are those of the store."""

from __future__ import annotations

from pathlib import Path

from clew.domain import SessionInfo, SessionKey
from clew.storage.quick_rows import QuickRows
from clew.storage.sqlite import SqliteStore

KEY = SessionKey("default", "ada", "s1")
ROWS = {"": b"{}", "pin/1": b"one", "pin/2": b"two" * 200, "pin/3": b"three", "rule/\udc80": b"four"}


def test_they_say_what_the_store_says(tmp_path: Path) -> None:
    path = tmp_path / "a b.db"
    store = SqliteStore(str(path))
    for key in (KEY, SessionKey("default", "bob", "s1")):
        store.save_session(SessionInfo(key=key, created=1.0))
    store.put_rows(KEY, "watch", dict(ROWS))
    store.put_rows(KEY, "other", {"pin/9": b"nine"})
    with QuickRows(str(path)) as rows:
        found = rows.session("s1", "ada")
        assert found is not None
        assert found[0] == tuple(KEY)
        for start, stop in (("", "\x01"), ("pin/", "pin/~"), ("rule/", "rule/\uffff"), ("x", "y")):
            assert rows.rows(found[0], "watch", start=start, stop=stop) == store.rows(
                KEY, "watch", start=start, stop=stop
            )
        newest = rows.rows(found[0], "watch", start="pin/", stop="pin/~", last=2)
        assert newest == store.rows(KEY, "watch", start="pin/", stop="pin/~", last=2)
        assert [rows.row(found[0], "watch", name) for name in (*ROWS, "pin/4")] == [*ROWS.values(), None]
        assert rows.session("s1", "nobody") is not None
        assert rows.session("s2", "ada") is None
    store.close()


def test_whoever_writes_is_not_waited_for(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "a.db"))
    store.save_session(SessionInfo(key=KEY, created=1.0))
    with store.transaction():
        store.put_rows(KEY, "watch", dict(ROWS))
        with QuickRows(str(tmp_path / "a.db")) as rows:
            assert rows.row(tuple(KEY), "watch", "pin/1") is None
    store.close()
